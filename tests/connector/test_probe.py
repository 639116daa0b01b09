import pytest
from kvtrace_connector.probe import Probe, Recorder, Speaker

from kvtrace.events import ProcessStarted, SendReported
from kvtrace.model import Role
from tests.connector.pair import Tape

P = Speaker("P", Role.PRODUCER, 0)
D = Speaker("D", Role.CONSUMER, -1)


def test_halves_of_one_process_share_one_box() -> None:
    opened: list[Tape] = []
    recorder = Recorder(lambda: opened.append(Tape()) or opened[-1])
    Probe(recorder, P).record(SendReported(request="a"))
    Probe(recorder, D).record(SendReported(request="b"))
    (tape,) = opened
    assert [origin for origin, _ in tape.said] == [0, 1]


def test_the_last_half_closes_the_box_and_a_new_one_opens_another() -> None:
    opened: list[Tape] = []
    recorder = Recorder(lambda: opened.append(Tape()) or opened[-1])
    ours, theirs = Probe(recorder, P), Probe(recorder, D)
    ours.leave("shutdown")
    assert opened[0].closed == ""
    theirs.leave("shutdown")
    assert opened[0].closed == "shutdown"
    Probe(recorder, P)
    assert len(opened) == 2


def test_what_is_said_after_the_goodbye_is_lost() -> None:
    tape = Tape()
    probe = Probe(Recorder(lambda: tape), P)
    probe.leave("shutdown")
    probe.record(SendReported(request="a"))
    assert not tape.said


def test_facts_are_kept_under_the_name_of_their_half() -> None:
    tape = Tape()
    recorder = Recorder(lambda: tape)
    Probe(recorder, D)
    Probe(recorder, P).describe(ProcessStarted(engine="P"))
    assert tape.said == [(1, ProcessStarted(engine="P"))]


def test_a_box_that_cannot_be_opened_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    def refused() -> Tape:
        raise PermissionError("read-only file system: '/dev/shm/kvtrace-0'")

    recorder = Recorder(refused)
    Probe(recorder, P).record(SendReported(request="a"))
    assert recorder.fuse.blown
    (record,) = caplog.records
    assert "read-only file system" in record.getMessage()
    assert "KVTRACE_DIR" in record.getMessage()


def test_the_last_words_are_said_for_every_half() -> None:
    tape = Tape()
    recorder = Recorder(lambda: tape)
    Probe(recorder, P)
    Probe(recorder, D)
    recorder.fuse.blow(LookupError("ours"))
    assert [event.error for event in tape.events("tracing.stopped")] == ["LookupError: ours"] * 2
