"""Every event travels as a log record and as a span event, and comes back the same."""

from typing import Any

import pytest

from kvtrace.events import AnyEvent, LegSent, ProcessStarted, kind
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost, News, Record, Watched
from kvtrace.signals.logs import Log, SpanEvent, resource_of
from kvtrace.signals.reading import news_of
from tests.unit import samples

EVERY = pytest.mark.parametrize("event", samples.SAMPLES, ids=kind)


def record_of(event: AnyEvent, role: Role | None = Role.CONSUMER) -> Record:
    return Record(
        process="a" * 32,
        seq=7,
        at=8_742_704_233_946,
        wall=1_796_171_365_744_309_499,
        clock="boot-1",
        engine="D0",
        role=role,
        rank=3,
        thread="nixl-push-writer",
        event=event,
    )


def resource(record: Record) -> dict[str, Any]:
    return dict(resource_of(record.process, record.engine, record.clock, {}).attributes)


def back(log: Log, given: dict[str, Any]) -> News:
    return news_of(log.name, log.wall, log.attributes, given)


@EVERY
def test_an_event_comes_back_from_its_log_record(event: AnyEvent) -> None:
    record = record_of(event)
    log = Log(record, observed=5)
    assert log.name == f"kvtrace.{kind(event)}"
    assert back(log, resource(record)) == record


@EVERY
def test_an_event_comes_back_from_a_span_event_in_the_span_of_another_process(
    event: AnyEvent,
) -> None:
    record = record_of(event)
    other = dict(resource_of("b" * 32, "P0", "boot-2", {}).attributes)
    assert back(SpanEvent(record), other) == record


@EVERY
def test_an_event_that_says_nothing_has_no_attributes_of_its_own(event: AnyEvent) -> None:
    plain = type(event)()
    record = record_of(plain, role=None)
    log = Log(record, 5)
    assert set(log.attributes) == {"kvtrace.seq", "kvtrace.at", "kvtrace.rank", "kvtrace.thread"}
    assert back(log, resource(record)) == record


OTHERS = (
    Lost(process="a" * 32, overwritten=3, ledger_full=1),
    Lost(unreadable=2, unknown=9),
    Lost(refused=2, teller="b" * 32, number=7),
    Ended(process="a" * 32, goodbye=True),
    Ended(process="a" * 32, goodbye=False),
    Watched(process="a" * 32, state="running"),
    Watched(process="a" * 32, state="frozen"),
)


@pytest.mark.parametrize("news", OTHERS)
def test_losses_and_ends_come_back(news: News) -> None:
    log = Log(news, observed=5)
    assert log.wall == 5
    assert back(log, {}) == news


def test_a_field_that_every_record_has_is_told_apart_from_the_event_s_own() -> None:
    record = record_of(LegSent(engine="P0"))
    log = SpanEvent(record)
    assert log.attributes["kvtrace.engine"] == "D0"
    assert log.attributes["kvtrace.event.engine"] == "P0"


def test_what_is_spread_over_attributes_has_one_for_each_key() -> None:
    log = Log(record_of(ProcessStarted(facts={"UCX_TLS": "tcp", "": ""})), 5)
    assert log.attributes["kvtrace.facts.UCX_TLS"] == "tcp"
    assert log.attributes["kvtrace.facts."] == ""
