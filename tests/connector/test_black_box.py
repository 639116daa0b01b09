import os
import signal
import threading
from pathlib import Path

import pytest
from kvtrace_connector.black_box import BlackBox

from kvtrace.black_box import Counter, Layout
from kvtrace.events import (
    FailureLogged,
    LeaseGranted,
    ProcessStarted,
    ProcessStopped,
    RegistrationNoticed,
    RequestAdmitted,
    StepSampled,
)
from kvtrace.glance import open_box, read_counters
from kvtrace.model import Role
from kvtrace.moments import News
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import SMALL, queued, records, sent, seqs, small_box


def read(path: Path) -> list[News]:
    reader = BlackBoxReader(path)
    news = reader.poll() + reader.poll()
    reader.close()
    return news


def test_a_box_is_its_users_alone(tmp_path: Path) -> None:
    box = BlackBox.open(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert box.path.stat().st_mode & 0o777 == 0o600
    box.close("")


def test_a_box_has_all_its_blocks_from_the_beginning(tmp_path: Path) -> None:
    box = BlackBox.open(tmp_path)
    found = box.path.stat()
    assert found.st_size == Layout().size
    assert found.st_blocks * 512 >= found.st_size
    box.close("")


def test_one_half_has_one_origin(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    assert box.origin("d", Role.CONSUMER, 0) == origin
    assert box.origin("d", Role.CONSUMER, -1) != origin
    box.close("")


def test_after_its_goodbye_nothing_is_written_and_nothing_raised(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.close("first")
    box.close("second")
    box.record(queued(), origin)
    box.describe(origin, ProcessStarted())
    box.origin("e", None, 1)
    (record,) = records(read(box.path))
    assert record.event == ProcessStopped(reason="first")


def test_seq_and_time_go_up_together(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(40):
        box.record(sent(), origin)
    told = records(read(box.path))
    assert [it.seq for it in told] == list(range(1, 41))
    assert sorted(it.at for it in told) == [it.at for it in told]
    box.close("")


def test_threads_write_without_losing_or_mixing_anything(tmp_path: Path) -> None:
    box = BlackBox.open(tmp_path)
    origin = box.origin("d", Role.CONSUMER, 0)

    def write(name: str) -> None:
        for number in range(2000):
            box.record(sent(name, number), origin)

    threads = [threading.Thread(target=write, args=(name,), name=name) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = records(read(box.path))
    assert [it.seq for it in told] == list(range(1, 6001))
    for name in "abc":
        mine = [it for it in told if it.event.request == name]
        assert [it.event.peer_rank for it in mine] == list(range(2000))
        assert {it.thread for it in mine} == {name}
    box.close("")


def test_more_threads_than_can_be_named_are_nameless(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for number in range(260):
        thread = threading.Thread(
            target=box.record, args=(sent(), origin), name=f"{number:0100}"[::-1]
        )
        thread.start()
        thread.join()
    assert records(read(box.path))[-1].thread == ""
    box.close("")


def test_names_of_threads_give_way_to_what_is_true_of_the_process(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    started = ProcessStarted(facts={f"{number}": "x" * 60 for number in range(100)})
    box.describe(origin, started)
    for number in range(40):
        thread = threading.Thread(target=box.record, args=(sent(), origin), name=f"{number}" * 32)
        thread.start()
        thread.join()
    for _ in range(100):
        box.record(sent(), origin)
    assert records(read(box.path))[0].event == started
    box.close("")


def test_facts_that_do_not_fit_leave_the_origins(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.describe(origin, ProcessStarted(facts={f"{number}": "x" * 70 for number in range(150)}))
    box.describe(box.origin("e" * 90, None, 1), ProcessStarted())
    box.record(sent(), 1)
    assert records(read(box.path))[-1].engine == "e" * 90
    box.close("")


def test_a_text_that_is_too_long_is_cut(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(FailureLogged(message="x" * 100_000, error_type="E"), origin)
    (record,) = records(read(box.path))
    assert record.event == FailureLogged(message="x" * 100 + "…", error_type="E")
    box.close("")


def test_what_belongs_to_a_half_is_cut_so_that_the_ledger_takes_it(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(RequestAdmitted(request="r" * 150, trace="t" * 2000), origin)
    for _ in range(100):
        box.record(StepSampled(), origin)
    first = records(read(box.path))[0]
    assert first.event == RequestAdmitted(request="r" * 150, trace="t" * 100 + "…")
    box.close("")


def test_an_id_is_never_cut_and_if_it_cannot_fit_that_is_counted(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(sent("r" * 20_000), origin)
    box.record(sent("r" * 9_000), origin)
    (record,) = records(read(box.path))
    assert record.event.request == "r" * 9_000
    opened = open_box(box.path)
    assert read_counters(opened)[Counter.TOO_LONG] == 1
    os.close(opened)
    box.close("")


def test_what_no_codec_can_write_is_mended(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(RegistrationNoticed(remote_request="\ud800", port=1 << 70), origin)
    box.record(FailureLogged(message=object()), origin)  # type: ignore[arg-type]
    first, second = records(read(box.path))
    assert first.event == RegistrationNoticed(remote_request="?", port=(1 << 63) - 1)
    assert second.event.message.startswith("<object")
    box.close("")


def test_a_signal_in_the_middle_of_an_event_disturbs_neither(tmp_path: Path) -> None:
    box = BlackBox.open(tmp_path)
    origin = box.origin("d", Role.CONSUMER, 0)
    before = signal.signal(signal.SIGALRM, lambda *_: box.record(queued(), origin))
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    for _ in range(15_000):
        box.record(sent("other"), origin)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    told = records(read(box.path))
    assert len(told) > 15_000
    assert [it.seq for it in told] == list(range(1, len(told) + 1))
    box.close("")


def test_a_missing_parent_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        BlackBox.open(tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


def test_the_directory_is_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KVTRACE_DIR", str(tmp_path / "given"))
    box = BlackBox.open()
    assert box.path.parent == tmp_path / "given"
    box.close("")


def test_an_unmatched_registration_goes_where_the_match_says(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(RegistrationNoticed(remote_request="d1", consumer="d"), origin)
    box.record(LeaseGranted(request="p1"), origin)
    for _ in range(200):
        box.record(StepSampled(), origin)
    assert seqs(read(box.path))[:2] == [1, 2]
    box.close("")


def test_the_box_is_no_larger_than_it_says(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for number in range(1000):
        box.record(FailureLogged(request=f"r{number % 50}", message="x" * number), origin)
    assert box.path.stat().st_size == SMALL.size
    box.close("")
