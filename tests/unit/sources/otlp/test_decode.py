"""News out of export requests, and what becomes of everything else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.events import Event
from kvtrace.moments import News, Record
from kvtrace.sources.otlp.decode import MOST, Decoder, Signal
from kvtrace.sources.otlp.refusal import Reason, RefusedError
from kvtrace.sources.otlp.tally import Tally
from tests.unit.samples import SAMPLES
from tests.unit.sources.otlp.requests import foreign_logs, logs, record, spans


def read(signal: Signal, raw: bytes, most: int = MOST) -> tuple[list[News], Tally]:
    tally = Tally()
    found = [one for some in Decoder(most).read(signal, raw, tally) for one in some]
    return found, tally


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_a_log_record_and_a_span_event_give_the_very_same(event: Event) -> None:
    told = record(event=event)
    assert read(Signal.LOGS, logs(told).SerializeToString())[0] == [told]
    assert read(Signal.TRACES, spans(told).SerializeToString())[0] == [told]


def test_events_are_counted_one_by_one() -> None:
    told = [record(seq) for seq in range(1, 1200)]
    found, tally = read(Signal.LOGS, logs(*told).SerializeToString())
    assert found == told
    assert tally == Tally(records=1199, events=1199)


def test_what_others_say_passes_without_harm() -> None:
    assert read(Signal.LOGS, foreign_logs(3).SerializeToString()) == (
        [],
        Tally(records=3, foreign=3),
    )
    others = spans(name="GET /")
    assert read(Signal.TRACES, others.SerializeToString()) == ([], Tally(records=1, foreign=1))


def test_metrics_are_only_counted() -> None:
    raw = foreign_logs(3).SerializeToString()
    assert read(Signal.METRICS, raw) == ([], Tally(records=3, metrics=3))


def test_the_name_may_stand_in_the_body_or_in_an_attribute_alone() -> None:
    request = logs(record())
    (log,) = request.resource_logs[0].scope_logs[0].log_records
    log.ClearField("event_name")
    assert read(Signal.LOGS, request.SerializeToString())[0] == [record()]
    log.ClearField("body")
    log.attributes.add(key="event.name").value.string_value = "kvtrace.registration.sent"
    assert read(Signal.LOGS, request.SerializeToString())[0] == [record()]


def test_one_bad_record_spoils_no_other() -> None:
    request = logs(record(1), record(2), record(3))
    middle = request.resource_logs[0].scope_logs[0].log_records[1]
    for attribute in middle.attributes:
        if attribute.key == "kvtrace.seq":
            attribute.value.int_value = -5
    found, tally = read(Signal.LOGS, request.SerializeToString())
    assert [one.seq for one in found if isinstance(one, Record)] == [1, 3]
    assert (tally.unreadable, tally.rejected) == (1, 1)


def test_an_event_of_a_newer_kvtrace_is_unknown_and_not_unreadable() -> None:
    request = logs(record())
    (log,) = request.resource_logs[0].scope_logs[0].log_records
    log.event_name = "kvtrace.blocks.teleported"
    assert read(Signal.LOGS, request.SerializeToString()) == ([], Tally(records=1, unknown=1))


def test_a_clock_beyond_all_clocks_is_unreadable() -> None:
    request = logs(record())
    (log,) = request.resource_logs[0].scope_logs[0].log_records
    log.time_unix_nano = (1 << 64) - 1
    found, tally = read(Signal.LOGS, request.SerializeToString())
    assert len(found) + tally.unreadable == 1


def test_what_is_no_request_is_malformed() -> None:
    with pytest.raises(RefusedError) as refused:
        read(Signal.LOGS, b"\xff\xff\xff")
    assert refused.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("raw", [b"\x0a\x00", b"\x0a\x02\x12\x00", b"\x0a\x04\x12\x02\x12\x00"])
def test_absurdly_many_are_too_large(raw: bytes) -> None:
    read(Signal.LOGS, raw * 10, most=10)
    with pytest.raises(RefusedError) as refused:
        read(Signal.LOGS, raw * 11, most=10)
    assert refused.value.reason is Reason.TOO_LARGE


@given(st.sampled_from(Signal), st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(signal: Signal, raw: bytes) -> None:
    for whole in (raw, b"\x0a\x7f" + raw[:127].ljust(127, b"\0")):
        with suppress(RefusedError):
            found, tally = read(signal, whole)
            assert tally.events == len(found)


@given(st.sampled_from(Signal), st.data())
def test_a_request_with_any_byte_changed_is_read_or_refused(
    signal: Signal, data: st.DataObject
) -> None:
    made = spans(record(1), record(2)) if signal is Signal.TRACES else logs(record(1), record(2))
    raw = bytearray(made.SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        found, tally = read(signal, bytes(raw))
    except RefusedError:
        return
    assert tally.events == len(found)
