from pathlib import Path

from kvtrace.events import (
    FailureLogged,
    HandshakeStarted,
    ProcessStarted,
    ProcessStopped,
    ReceiveReported,
    StepSampled,
)
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import (
    RING_SLOTS,
    SMALL,
    lost,
    queued,
    read,
    records,
    sent,
    seqs,
    small_box,
)


def test_what_is_written_is_read_with_who_said_it(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    reader = BlackBoxReader(box.path)
    (record,) = records(reader.poll())
    assert (record.seq, record.event) == (1, queued())
    assert (record.engine, record.role, record.rank) == ("d", Role.CONSUMER, 0)
    assert record.thread == "MainThread"
    assert record.process == box.path.stem
    assert record.clock == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    reader.close()
    box.close("")


def test_a_poll_tells_what_is_new_only(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    assert reader.poll() == []
    box.record(queued(), origin)
    assert seqs(reader.poll()) == [1]
    assert reader.poll() == []
    box.record(sent(), origin)
    box.record(sent(), origin)
    assert seqs(reader.poll()) == [2, 3]
    box.close("")
    reader.close()


def test_an_origin_that_comes_later_is_known(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    reader.poll()
    box.record(StepSampled(), box.origin("p", Role.PRODUCER, 3))
    (record,) = records(reader.poll())
    assert (record.engine, record.role, record.rank) == ("p", Role.PRODUCER, 3)
    box.close("")
    reader.close()


def test_an_event_of_no_origin_belongs_to_nobody(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.record(StepSampled(), 77)
    (record,) = records(read(box.path))
    assert (record.engine, record.role, record.rank) == ("", None, -1)
    box.close("")


def test_a_handshake_is_on_the_side_it_says(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(HandshakeStarted(side="P"), origin)
    box.record(HandshakeStarted(), origin)
    assert [it.role for it in records(read(box.path))] == [Role.PRODUCER, Role.CONSUMER]
    box.close("")


def test_a_long_record_is_read_across_slots_and_the_end_of_the_ring(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    text = "".join(map(chr, range(32, 1200)))
    for _ in range(20):
        box.record(FailureLogged(message=text), origin)
        (record,) = records(reader.poll())
        assert record.event == FailureLogged(message=text)
    box.close("")
    reader.close()


def test_the_end_is_told_once_with_its_goodbye(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.close("shut down")
    stopped, ended = reader.poll()
    assert records([stopped])[0].event == ProcessStopped(reason="shut down")
    assert ended == Ended(process=box.path.stem, goodbye=True)
    assert reader.ended
    assert reader.poll() == []
    reader.close()


def test_what_was_overwritten_since_the_last_poll_is_counted(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.record(sent(), origin)
    reader.poll()
    for _ in range(100):
        box.record(sent(), origin)
    news = reader.poll()
    assert seqs(news) == list(range(102 - RING_SLOTS, 102))
    assert lost(news) == Lost(process=box.path.stem, overwritten=36)
    box.close("")
    reader.close()


def test_what_was_overwritten_before_the_first_look_is_no_loss(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(100):
        box.record(sent(), origin)
    reader = BlackBoxReader(box.path)
    assert lost(reader.poll()) is None
    assert reader.before == 36
    box.close("")
    reader.close()


def test_an_open_half_is_told_however_long_ago_it_began(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(sent(), origin)
    for number in range(300):
        box.record(sent(f"other {number}"), origin)
    reader = BlackBoxReader(box.path)
    news = reader.poll()
    assert seqs(news) == [1, 2, *range(303 - RING_SLOTS, 303)]
    assert reader.before == 300 - RING_SLOTS
    box.close("")
    reader.close()


def test_an_open_half_is_told_to_a_reader_that_fell_behind(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    reader.poll()
    box.record(queued(), origin)
    for _ in range(100):
        box.record(sent("other"), origin)
    news = reader.poll()
    assert seqs(news)[0] == 1
    assert lost(news) == Lost(process=box.path.stem, overwritten=36)
    box.close("")
    reader.close()


def test_nothing_is_told_twice_when_ledger_and_ring_both_hold_it(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(sent(), origin)
    assert seqs(read(box.path)) == [1, 2]
    box.close("")


def test_a_half_that_closed_is_told_by_the_ring_alone(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(ReceiveReported(request="r1"), origin)
    for _ in range(RING_SLOTS):
        box.record(sent("other"), origin)
    assert seqs(read(box.path)) == list(range(3, 3 + RING_SLOTS))
    box.close("")


def test_what_is_true_of_the_process_outlives_the_ring(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    started = ProcessStarted(engine="d", rank=0, model="m", facts={"a": "b"})
    box.describe(origin, started)
    for _ in range(300):
        box.record(sent("other"), origin)
    first = records(read(box.path))[0]
    assert (first.seq, first.event) == (1, started)
    box.close("")


def test_a_full_ledger_is_told(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for number in range(SMALL.ledger_slots + 3):
        box.record(queued(f"r{number}"), origin)
    reader = BlackBoxReader(box.path)
    assert lost(reader.poll()) == Lost(process=box.path.stem, ledger_full=3)
    box.record(queued("one more"), origin)
    assert lost(reader.poll()) == Lost(process=box.path.stem, ledger_full=1)
    box.close("")
    reader.close()
