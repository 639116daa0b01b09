"""What the page of signals says of spans and attributes is what is sent."""

from collections import defaultdict

from kvtrace.signals.catalogue import (
    ATTRIBUTES,
    ON_EVERY_LOG,
    ON_EVERY_SPAN,
    RESOURCE,
    SPANS,
    WHERE_IT_APPLIES,
)
from kvtrace.signals.logs import Log, SpanEvent, attribute
from kvtrace.signals.spans import CLIENT, Span
from kvtrace.wire import KINDS
from tests.unit import samples
from tests.unit.signals.telling import WHOLE, recorded, spans_of
from tests.unit.signals.test_logs import record_of, resource
from tests.unit.story import Story

KNOWN = {span.name: {*span.attributes, *ON_EVERY_SPAN, *WHERE_IT_APPLIES} for span in SPANS}


def everything() -> list[Span]:
    """Spans of real engines, of failures, and of halves that were seen in part."""
    spans: list[Span] = []
    for path in WHOLE:
        clock, moments = recorded(path)
        spans += spans_of(moments, clock=clock)
    story = Story().at(0, samples.registration_queued()).at(2, samples.request_resumed())
    spans += spans_of(story.moments)
    story = Story().at(1, *samples.PRODUCER_FIRST, *samples.WRITING, samples.write_failed())
    spans += spans_of(story.at(2, samples.lease_expired(writes=1)).moments)
    story = Story().at(0, *samples.CONSUMER_FIRST[:-1], samples.handshake_failed(error="x"))
    return spans + spans_of(story.moments)


def test_every_attribute_of_every_span_is_described_and_every_one_described_is_sent() -> None:
    sent = defaultdict(set)
    for span in everything():
        sent[span.name] |= set(span.attributes)
    assert {name: found - KNOWN[name] for name, found in sent.items() if found - KNOWN[name]} == {}
    unsent = {
        span.name: set(span.attributes) - sent[span.name]
        for span in SPANS
        if set(span.attributes) - sent[span.name]
    }
    assert unsent == {}
    assert set(WHERE_IT_APPLIES) <= set().union(*sent.values())


def test_every_attribute_of_a_span_has_one_description() -> None:
    names = [attribute.name for attribute in ATTRIBUTES]
    assert len(names) == len(set(names))
    assert set(names) == set().union(*KNOWN.values())


def test_spans_are_of_the_kind_that_is_described() -> None:
    kinds = {span.name: span.kind for span in SPANS}
    for span in everything():
        assert (span.kind == CLIENT) == (kinds[span.name] == "client")


def test_what_every_record_has_is_described() -> None:
    record = record_of(samples.request_resumed())
    names = {one.name for one in ON_EVERY_LOG} - {"event.name"}
    assert set(SpanEvent(record).attributes) == names
    assert set(Log(record, 5).attributes) < names
    assert set(resource(record)) <= {one.name for one in RESOURCE}


def test_no_name_is_the_beginning_of_another() -> None:
    fields = {attribute(field) for cls in KINDS.values() for field in cls.__struct_fields__}
    every = fields | {one.name for one in (*ATTRIBUTES, *ON_EVERY_LOG, *RESOURCE)}
    assert [name for name in every for other in every if other.startswith(name + ".")] == []
