"""Spans from records: each once, in any order of arrival, in bounded memory."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace.events import RequestFinished
from kvtrace.model import Role
from kvtrace.moments import Ended, News, Record
from kvtrace.signals.deriver import SETTLE, Deriver, half_of
from kvtrace.signals.ids import derived
from kvtrace.signals.logs import Resource
from kvtrace.signals.spans import CLIENT, INTERNAL, TRANSFER, Span
from tests.otlp_messages import traces_request
from tests.unit import samples
from tests.unit.moments import news as anything
from tests.unit.signals.telling import (
    WHOLE,
    at_once,
    essence,
    keys,
    named,
    recorded,
    root_of_side,
    spans_of,
)
from tests.unit.story import CLOCK, SECOND, D, Story

EACH = pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)


def healthy() -> Story:
    """One whole transfer between two engines of one rank."""
    return Story().at(1, *samples.WHOLE)


def two_ranks() -> Story:
    """One producer rank, two of the consumer, with handshakes."""
    story = Story().at(0, samples.process_started(tp_size=2, mode="push"), by=D)
    story.at(1, *samples.CONSUMER_FIRST[:4])
    for rank in (0, 1):
        story.at(1.1, samples.registration_queued(), rank=rank)
        story.at(1.2, samples.handshake_started(waited=3), rank=rank)
        story.at(1.5, samples.handshake_finished(took=300_000_000), rank=rank)
        story.at(1.6 + rank, samples.registration_sent(), rank=rank)
    story.at(2, *samples.PRODUCER_FIRST)
    story.at(2.1, samples.registration_noticed(peer="D0/0"), samples.match_made(waited=SECOND))
    for peer in (0, 1):
        story.at(2.2, samples.write_posted(peer_rank=peer))
    story.at(2.3, samples.write_started())
    for peer in (0, 1):
        story.at(2.4, samples.write_finished(peer_rank=peer))
        story.at(2.5 + peer, samples.notification_noticed(), rank=peer)
        story.at(2.6 + peer, samples.completion_counted(), samples.receive_reported(), rank=peer)
    story.at(3.5, samples.send_reported(), samples.blocks_released())
    story.at(3.7, samples.registration_noticed(peer="D0/1"))
    return story.at(3.8, samples.receive_finished(), samples.request_resumed())


def news(story: Story) -> list[News]:
    return [moment.news for moment in story.moments if moment.news is not None]


def test_a_healthy_transfer_gives_one_span_for_each_phase_of_each_side() -> None:
    spans = spans_of(healthy().moments)
    assert Counter((s.name, s.attributes["kvtrace.role"]) for s in spans) == {
        ("kvtrace.transfer", "D"): 1,
        ("kvtrace.transfer", "P"): 1,
        ("kvtrace.registration", "D"): 1,
        ("kvtrace.readiness", "P"): 1,
        ("kvtrace.write", "P"): 1,
        ("kvtrace.completion", "D"): 1,
    }


def test_each_rank_has_its_own_spans() -> None:
    spans = spans_of(two_ranks().moments)
    assert [s.attributes["kvtrace.peer_rank"] for s in named(spans, "write")] == [0, 1]
    assert [s.attributes["kvtrace.rank"] for s in named(spans, "completion")] == [0, 1]
    (registration,) = named(spans, "registration")
    assert (registration.start, registration.end) == (SECOND, round(2.6 * SECOND))
    assert len(named(spans, "handshake", Role.CONSUMER)) == 2


def test_phases_are_under_the_root_of_their_half_and_handshakes_under_registration() -> None:
    spans = spans_of(two_ranks().moments)
    (registration,) = named(spans, "registration")
    for span in spans:
        assert span.root == root_of_side(spans, Role(str(span.attributes["kvtrace.role"]))).span_id
        expected = registration.span_id if span.name == "kvtrace.handshake" else span.root
        assert span.parent_id == (b"" if span.name == TRANSFER else expected)
        assert span.kind == (CLIENT if span.name == "kvtrace.handshake" else INTERNAL)


def test_a_root_comes_after_all_that_is_under_it() -> None:
    spans = spans_of(two_ranks().moments)
    for role in Role:
        mine = [s for s in spans if s.attributes["kvtrace.role"] == role.value]
        assert [s.name for s in mine].index(TRANSFER) == len(mine) - 1


def test_without_a_traceparent_both_halves_are_in_the_derived_trace_without_a_parent() -> None:
    spans = spans_of(healthy().moments)
    assert {span.trace_id for span in spans} == {derived("r1").trace_id}
    for role in Role:
        root = root_of_side(spans, role)
        assert root.parent_id == b""
        assert root.links == ()
        assert root.attributes["kvtrace.join"] == "r1"


TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def test_with_a_traceparent_a_half_is_in_that_trace_and_linked_to_the_derived_one() -> None:
    story = Story().at(1, samples.request_admitted(trace=f"00-{TRACE}-{PARENT}-01"))
    spans = spans_of(story.at(1, *samples.WHOLE[1:]).moments)
    root = root_of_side(spans, Role.CONSUMER)
    mine = [s for s in spans if s.attributes["kvtrace.role"] == "D"]
    assert {s.trace_id.hex() for s in mine} == {TRACE}
    assert root.parent_id.hex() == PARENT
    (link,) = root.links
    assert (link.trace_id, link.attributes) == (derived("r1").trace_id, {"kvtrace.join": "r1"})
    assert root_of_side(spans, Role.PRODUCER).trace_id == derived("r1").trace_id


def test_every_record_of_a_finished_half_is_a_span_event_once() -> None:
    story = two_ranks()
    expected = [
        (record.process, record.seq)
        for record in news(story)
        if isinstance(record, Record) and (record.event.request or record.role is Role.PRODUCER)
    ]
    # The last registration was noticed when the producer's half was over.
    del expected[-3]
    assert sorted(keys(spans_of(story.moments))) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(st.permutations(news(two_ranks())), st.lists(st.sampled_from(news(two_ranks())), max_size=5))
def test_the_order_of_arrival_does_not_matter(order: list[News], again: list[News]) -> None:
    assert essence(at_once([*order, *again])) == essence(at_once(news(two_ranks())))


def test_nor_does_it_whether_spans_are_asked_for_on_the_way() -> None:
    assert essence(spans_of(two_ranks().moments)) == essence(at_once(news(two_ranks())))


@EACH
def test_all_halves_of_a_recording_end_and_every_event_is_told_once(path: Path) -> None:
    clock, moments = recorded(path)
    spans = spans_of(moments, clock=clock)
    halves = {
        whose
        for m in moments
        if isinstance(m.news, Record) and (whose := half_of(m.news)) is not None
    }
    roots = [span for span in spans if span.name == TRANSFER]
    assert len(roots) == len(halves)
    told = keys(spans)
    assert len(told) == len(set(told))
    missing = {
        type(m.news.event)
        for m in moments
        if isinstance(m.news, Record)
        and half_of(m.news) is not None
        and (m.news.process, m.news.seq) not in told
    }
    assert missing <= {RequestFinished}, "only a request's end comes after its transfer's"


@EACH
def test_a_recording_told_at_once_gives_the_spans_that_were_made_live(path: Path) -> None:
    clock, moments = recorded(path)
    everything = [m.news for m in moments if m.news is not None]
    assert essence(at_once(everything, clock, moments[-1].at)) == essence(
        spans_of(moments, clock=clock)
    )


@EACH
def test_no_two_spans_have_one_id(path: Path) -> None:
    clock, moments = recorded(path)
    ids = [span.span_id for span in spans_of(moments, clock=clock)]
    assert len(ids) == len(set(ids))


def test_phases_are_told_before_the_half_is_over() -> None:
    story = Story().at(0, *samples.CONSUMER_FIRST)
    assert [s.name for s in spans_of(story.moments, after=1)] == ["kvtrace.registration"]


def test_a_killed_process_ends_its_halves_as_failed() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST).at(3).dies(D, rank=0)
    root = root_of_side(spans_of(story.moments), Role.CONSUMER)
    assert (root.start, root.end) == (SECOND, 3 * SECOND)
    assert root.attributes["kvtrace.outcome"] == "failed"
    assert root.attributes["error.type"] == "process.killed"
    assert "killed" in root.error


def test_one_that_said_goodbye_gives_them_up() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST).at(3).dies(D, goodbye=True)
    root = root_of_side(spans_of(story.moments), Role.CONSUMER)
    assert root.attributes["kvtrace.outcome"] == "abandoned"
    assert root.attributes["error.type"] == "process.stopped"
    assert root.error == ""


def test_what_was_read_after_its_process_had_died_ends_with_the_last_that_it_told() -> None:
    told = news(Story().at(1, *samples.CONSUMER_FIRST))
    end = news(Story().at(1).dies(D, rank=0))
    root = root_of_side(at_once([*end, *told], at=900 * SECOND), Role.CONSUMER)
    assert root.end == SECOND


def test_a_handshake_in_nobody_s_name_is_a_trace_of_its_own() -> None:
    story = Story().at(1, samples.handshake_started(request="", waited=SECOND // 10))
    story.at(2, samples.handshake_finished(request="", round_trip=7))
    (span,) = spans_of(story.moments)
    assert (span.name, span.parent_id, span.root) == ("kvtrace.handshake", b"", span.span_id)
    assert (span.start, span.end) == (round(0.9 * SECOND), 2 * SECOND)
    assert span.attributes["kvtrace.round_trip"] == 7
    assert "kvtrace.join" not in span.attributes


def test_a_stalled_phase_is_told_at_its_patience_and_at_each_doubling() -> None:
    story = Story().at(0, *samples.CONSUMER_FIRST[:-1])
    stalls = named(spans_of(story.moments, after=41), "stall")
    assert [(s.end - s.start) // SECOND for s in stalls] == [5, 10, 20, 40]
    assert [s.attributes["kvtrace.n"] for s in stalls] == [0, 1, 2, 3]
    assert len({s.span_id for s in stalls}) == 4
    first = stalls[0]
    assert first.attributes["kvtrace.phase"] == "registration"
    assert first.attributes["kvtrace.waits_for.event"] == "registration.sent"
    assert first.attributes["kvtrace.waits_for.rank"] == 0
    assert len(first.events) == 5
    assert first.parent_id == first.root


def test_a_stall_that_is_found_late_is_told_once() -> None:
    story = Story().at(0, *samples.CONSUMER_FIRST[:-1])
    (stall,) = named(at_once(news(story), at=9 * SECOND)[:1], "stall")
    assert stall.attributes["kvtrace.n"] == 0
    (stall,) = named(at_once(news(story), at=70 * SECOND)[:1], "stall")
    assert stall.attributes["kvtrace.n"] == 3


def test_what_an_earlier_deriver_told_of_a_stall_is_not_told_again() -> None:
    story = Story().at(0, *samples.CONSUMER_FIRST[:-1])
    deriver = Deriver(CLOCK, told_until=12 * SECOND)
    for one in news(story):
        deriver.take(one, 13 * SECOND)
    made = [deriver.tick(at * SECOND, at * SECOND) for at in range(13, 22)]
    (stall,) = [span for spans in made for span in spans]
    assert stall.attributes["kvtrace.n"] == 2


def test_the_phase_that_follows_a_long_one_has_a_patience_of_its_own() -> None:
    story = Story().at(0, *samples.PRODUCER_FIRST[:1])
    story.at(31).at(40, *samples.PRODUCER_FIRST[1:], *samples.WRITING[:2])
    stalls = named(spans_of(story.moments, after=6), "stall")
    assert [s.attributes["kvtrace.phase"] for s in stalls] == ["readiness", "write"]


def test_a_registration_without_blocks_makes_no_span_and_no_stall() -> None:
    assert spans_of(Story().at(0, samples.registration_noticed()).moments) == []


def test_the_end_of_a_request_long_over_does_not_begin_it_anew() -> None:
    story = healthy().at(90, samples.request_finished())
    deriver = Deriver(CLOCK)
    for moment in story.moments:
        deriver.take(moment.news, moment.at) if moment.news is not None else None
        deriver.tick(moment.at - 1, 0)
    deriver.tick(100 * SECOND, 0)
    assert (len(deriver.halves), deriver.halves.late) == (0, 0)
    (late,) = news(Story().at(101, samples.receive_reported()))
    deriver.take(late, 101 * SECOND)
    assert deriver.halves.late == 1


def test_what_ends_a_request_that_was_never_heard_of_is_forgotten() -> None:
    deriver = Deriver(CLOCK)
    (end,) = news(Story().at(1, samples.request_finished()))
    deriver.take(end, SECOND)
    for at in range(1, 13):
        assert deriver.tick(at * SECOND, 0) == []
    assert len(deriver.halves) == 0


def test_the_number_of_open_halves_has_a_limit_and_the_oldest_is_given_up() -> None:
    deriver = Deriver(CLOCK, live_limit=3)
    for number in range(5):
        (one,) = news(Story().at(1, samples.request_admitted(request=f"r{number}-aaaaaaaa")))
        deriver.take(one, SECOND)
    assert (len(deriver.halves), deriver.halves.forgotten) == (3, 2)


def test_one_half_with_more_records_than_any_has_is_cut_short() -> None:
    deriver = Deriver(CLOCK)
    story = Story()
    for number in range(1100):
        story.at(1, samples.registration_sent(ordinal=number))
    for one in news(story):
        deriver.take(one, SECOND)
    assert deriver.halves.overlong == 100


def test_log_records_are_told_where_their_half_s_spans_are() -> None:
    deriver = Deriver(CLOCK)
    moments = healthy().moments
    for moment in moments:
        assert moment.news is not None
        deriver.take(moment.news, moment.at)
    told = [record for record in news(healthy()) if isinstance(record, Record)]
    contexts = {deriver.context(record) for record in told}
    spans = deriver.tick(2 * SECOND, 0)
    roots = {span.root for span in spans}
    assert contexts == {(derived("r1").trace_id, root) for root in {*roots, b""}}
    assert {deriver.context(record) for record in told} == contexts
    (other,) = news(Story().at(1, samples.step_sampled()))
    assert isinstance(other, Record)
    assert deriver.context(other) == (b"", b"")


def test_a_half_is_looked_at_when_nothing_was_heard_of_it_for_a_while() -> None:
    deriver = Deriver(CLOCK)
    for one in news(healthy()):
        assert deriver.take(one, SECOND) == []
    assert deriver.tick(SECOND + SETTLE - 1, 0) == []
    assert len(deriver.tick(SECOND + SETTLE, 0)) == 6


def any_news() -> st.SearchStrategy[News]:
    """Anything that can arrive, and events of samples that meet in a few halves."""
    known = st.builds(
        Record,
        process=st.sampled_from("xyz"),
        seq=st.integers(1, 99),
        at=st.integers(0, 99 * SECOND),
        wall=st.integers(0, 99 * SECOND),
        clock=st.sampled_from([CLOCK, "other"]),
        engine=st.sampled_from(["P0", "D0"]),
        role=st.sampled_from([None, *Role]),
        rank=st.integers(-1, 2),
        event=st.sampled_from(samples.SAMPLES),
    )
    ended = st.builds(Ended, process=st.sampled_from("xyz"), goodbye=st.booleans())
    return known | ended | anything().filter(lambda one: one is not None)  # type: ignore[return-value]


ANY = st.lists(st.tuples(st.integers(0, 20 * SECOND), any_news()), max_size=40)


@settings(deadline=None)
@given(ANY)
def test_whatever_arrives_gives_spans_that_fit_into_messages(told: list[tuple[int, News]]) -> None:
    deriver = Deriver(CLOCK, live_limit=5)
    made, now = [], 0
    for passed, one in told:
        now += passed
        made += deriver.take(one, now)
        made += deriver.tick(now, now)
        if isinstance(one, Record):
            deriver.context(one)
    made += deriver.tick(now + 3600 * SECOND, now)
    request = traces_request((Resource(()), span) for span in made)
    spans = [span for whole in request.resource_spans for span in whole.scope_spans[0].spans]
    assert len(spans) == len(made)
    for span in spans:
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        assert (len(span.trace_id), len(span.span_id)) == (16, 8)
    assert len(deriver.halves) <= 5


def test_a_stand_in_for_a_request_whose_client_left_makes_no_span() -> None:
    def spans_for(tokens: int) -> list[Span]:
        name = "90dff02039fa88a7"
        story = Story().at(0, samples.request_admitted(request=name, tokens=tokens))
        story.at(0.1, samples.request_finished(request=name, status="FINISHED_ABORTED"))
        return at_once(moment.news for moment in story.moments if moment.news is not None)

    assert spans_for(tokens=1) == []
    assert spans_for(tokens=2) != []
