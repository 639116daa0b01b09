"""What goes wrong with real transfers is recorded on the right side, and the engines go on.

One pair with a short lease and a short watchdog. What breaks the router, the side channel or a
registration is real; a NIXL call that fails was told to by the lab, with all of vLLM around it.
"""

import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from lab import ports, side_channel, stranger
from lab.engine import Engine, await_ready
from lab.faults import Fault
from lab.knobs import Knobs, LegKnobs
from lab.pair import Pair
from lab.toolkit import Toolkit

from kvtrace.census import Census
from kvtrace.events import (
    BlocksReady,
    Event,
    FailureLogged,
    HandshakeFailed,
    LeaseExpired,
    ListenerDied,
    MatchMade,
    RegistrationExpired,
    RegistrationSendFailed,
    TracingStopped,
    WriteFailed,
    WriterFailed,
    WriteStarted,
)
from kvtrace.model import SCHEDULER, Phase
from kvtrace.moments import Moment, Record
from kvtrace.sources.run_directory import read_once

SECOND = 1_000_000_000
LEASE = 6
WATCHDOG = 3
SETTINGS = {"kv_lease_duration": LEASE, "push_registration_timeout": WATCHDOG}
"""Seconds."""

NO_PRODUCER = Knobs(producer=LegKnobs(drop=True))
NO_CONSUMER = Knobs(consumer=LegKnobs(drop=True))

E = TypeVar("E", bound=Event)
T = TypeVar("T")
Shown = dict[str, Any]


@pytest.fixture(scope="module")
def faulty(pairs) -> Iterator[Pair]:  # type: ignore[no-untyped-def]
    with pairs(extra=SETTINGS, faulty=True) as pair:
        yield pair


class Case:
    """One request that goes wrong, and what is heard of it."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.id = f"fault-{uuid.uuid4()}"
        self.status: int | None = None
        self._began = time.monotonic_ns()

    @contextmanager
    def asked(
        self, knobs: Knobs | None = None, patience: float = 4, prompt: int = 100
    ) -> Iterator[None]:
        """Its client waits while the block lasts, and no longer than it has patience."""

        def ask() -> None:
            self.status = self.pair.attempt(self.id, knobs or Knobs(), prompt, patience).status

        client = threading.Thread(target=ask)
        client.start()
        try:
            yield
        finally:
            client.join(60)

    def told(self, kind: type[E], engine: Engine, rank: int = 0, **fields: object) -> E:
        """The first such event that this place tells of the request, or since of none."""

        def look() -> E | None:
            return next(self._told(kind, (engine.launch.engine_id, rank), fields), None)

        return until(look, LEASE + 9)

    def shown(self, where: str, true: Callable[[Shown], bool] = bool) -> Shown:
        """The transfer as `kvtrace live --once --json` shows it, once it is so."""

        def look() -> Shown | None:
            found = [one for one in snapshot(self.pair)[where] if self.id in one["id"]]
            return next(filter(true, found), None)

        return until(look, LEASE + 9)

    def phase_before(self, kind: type[Event]) -> Phase:
        """In which phase its transfer was when this was about to happen, however late we look."""
        census = Census(next(iter(records(self.pair))).clock)
        for one in sorted(records(self.pair), key=lambda one: one.at):
            if isinstance(one.event, kind) and self.id in one.event.request:
                return next(row.phase for row in census.rows(one.at) if self.id in row.id)
            census.take(Moment(one.at, one))
        raise AssertionError(f"{kind.__name__} was never told")

    def _told(
        self, kind: type[E], place: tuple[str, int], fields: dict[str, object]
    ) -> Iterator[E]:
        for one in records(self.pair):
            event = one.event
            ours = self.id in event.request or (not event.request and one.at >= self._began)
            theirs = (one.engine, one.rank) == place and isinstance(event, kind)
            if ours and theirs and fields.items() <= msgspec.structs.asdict(event).items():
                yield event


def records(pair: Pair) -> list[Record]:
    return [one.news for one in read_once(pair.run_dir) if isinstance(one.news, Record)]


def snapshot(pair: Pair) -> Shown:
    return Toolkit(Path(sys.executable).with_name("kvtrace"), pair.producer.run).snapshot()


def until(look: Callable[[], T | None], seconds: float) -> T:
    deadline = time.monotonic() + seconds
    while (found := look()) is None:
        assert time.monotonic() < deadline, "it was never told"
        time.sleep(0.2)
    return found


def check_both_go_on(pair: Pair) -> None:
    """Other requests are served as ever, and traced."""
    healthy = Case(pair)
    assert pair.complete(60, request_id=healthy.id).answered
    assert healthy.shown("done")["outcome"] == "finished"
    assert not any(isinstance(one.event, TracingStopped) for one in records(pair))
    states = {one["id"]: one["state"] for one in snapshot(pair)["engines"]}
    assert states == {"P": "alive", "D": "alive"}


def place(engine: str, rank: int) -> Shown:
    return {"engine": engine, "role": engine, "rank": rank}


def test_a_producer_that_cannot_reach_the_consumer(faulty: Pair) -> None:
    """The first test, since a producer asks a consumer for its address but once."""
    case = Case(faulty)
    fault = Fault(call="add_remote_agent", does="raise", times=1)
    with faulty.producer.faults.at_work(fault), case.asked():
        failed = case.told(HandshakeFailed, faulty.producer)
        assert (failed.side, failed.peer, failed.port) == ("P", "D", side_port(faulty.consumer))
        assert failed.error_type == "nixlBackendError"
        case.told(FailureLogged, faulty.producer, failure="handshake_setup_failed")
        case.told(FailureLogged, faulty.producer, failure="push_handshake_failed")
        shown = case.shown("transfers", lambda row: row["phase"] == "write")
        assert shown["waits_for"] == place("P", 0)
    assert case.status == 0
    assert case.told(LeaseExpired, faulty.producer).writes == 0
    check_both_go_on(faulty)


def test_a_consumer_that_is_told_a_wrong_port(faulty: Pair) -> None:
    case = Case(faulty)
    nobody = next(ports.free())
    elsewhere = {"remote_engine_id": "nobody", "remote_port": nobody}
    with case.asked(Knobs(consumer=LegKnobs(params=elsewhere)), patience=30):
        failed = case.told(HandshakeFailed, faulty.consumer)
        assert (failed.side, failed.peer, failed.port) == ("D", "nobody", nobody)
        assert failed.took >= 5 * SECOND
        assert failed.error_type == "Again"
        case.told(FailureLogged, faulty.consumer, failure="push_reg_handshake_failed")
    assert case.status == 500
    done = case.shown("done", lambda done: done["link"]["consumer"] == "D")
    assert (done["outcome"], done["link"]["producer"]) == ("failed", "nobody")
    assert done["phases"]["registration"] >= 5 * SECOND
    check_both_go_on(faulty)


def test_a_registration_without_its_prefill_is_dropped_by_the_watchdog(faulty: Pair) -> None:
    case = Case(faulty)
    with case.asked(NO_PRODUCER, patience=WATCHDOG + 3):
        expired = case.told(RegistrationExpired, faulty.consumer, SCHEDULER)
        assert expired.timeout == WATCHDOG * SECOND
        shown = case.shown("transfers", lambda row: row["stalled"])
        assert (shown["phase"], shown["patience"]) == ("readiness", WATCHDOG * SECOND)
        assert shown["waits_for"] == place("P", SCHEDULER)
        assert shown["requests"]["producer"] is None
        assert WATCHDOG * SECOND < shown["waited"] <= shown["age"]
    assert case.status == 0
    check_both_go_on(faulty)


def test_a_prefill_that_is_cut_off(faulty: Pair) -> None:
    case = Case(faulty)
    cut_off = Knobs(producer=LegKnobs(abort_after=0.3))
    with case.asked(cut_off, prompt=7500):
        ready = case.told(BlocksReady, faulty.producer, SCHEDULER)
        assert (ready.status, ready.held) == ("FINISHED_ABORTED", False)
        assert ready.computed < 7500
        shown = case.shown("transfers")
        assert (shown["phase"], shown["waits_for"]) == ("readiness", place("P", SCHEDULER))
        assert shown["requests"]["producer"] is not None
    assert case.status == 0
    check_both_go_on(faulty)


def test_a_prefill_that_no_consumer_asks_for_outlives_its_lease(faulty: Pair) -> None:
    case = Case(faulty)
    with case.asked(NO_CONSUMER, patience=2):
        shown = case.shown("transfers", lambda row: row["phase"] == "registration")
        assert shown["waits_for"] is None
    assert case.status == 0
    expired = case.told(LeaseExpired, faulty.producer)
    assert (expired.readers, expired.writes) == (0, 0)
    done = case.shown("done")
    assert done["outcome"] == "abandoned"
    assert done["phases"]["registration"] > (LEASE - 1) * SECOND
    check_both_go_on(faulty)


def test_a_registration_that_cannot_be_sent(faulty: Pair) -> None:
    case = Case(faulty)
    fault = Fault(call="send_notif", does="raise", about="PUSH_REG:")
    with faulty.consumer.faults.at_work(fault), case.asked():
        failed = case.told(RegistrationSendFailed, faulty.consumer)
        assert (failed.producer, failed.peer_rank) == ("P", 0)
        assert "told to by the lab" in failed.error
        case.told(FailureLogged, faulty.consumer, failure="push_reg_notif_failed")
        shown = case.shown("transfers")
        assert (shown["phase"], shown["waits_for"]) == ("registration", place("D", 0))
    assert case.status == 0
    check_both_go_on(faulty)


@pytest.mark.parametrize(
    ("fault", "stage", "failure"),
    [
        (Fault(call="make_prepped_xfer", does="raise"), "prepare", "transfer_setup_failed"),
        (Fault(call="transfer", does="raise"), "post", "transfer_setup_failed"),
        (
            Fault(call="check_xfer_state", does="answer", answer="ERR"),
            "transfer",
            "transfer_failed",
        ),
        (Fault(call="check_xfer_state", does="raise"), "transfer", "transfer_exception"),
    ],
    ids=["prepare", "post", "error", "poll"],
)
def test_a_write_that_fails(faulty: Pair, fault: Fault, stage: str, failure: str) -> None:
    case = Case(faulty)
    # What was posted does land, so that the consumer must not hear of it.
    unheard = Fault(call="get_new_notifs", does="drop", about=case.id)
    with (
        faulty.producer.faults.at_work(fault),
        faulty.consumer.faults.at_work(unheard),
        case.asked(),
    ):
        failed = case.told(WriteFailed, faulty.producer)
        assert (failed.consumer, failed.peer_rank, failed.stage) == ("D", 0, stage)
        case.told(FailureLogged, faulty.producer, failure=failure)
        shown = case.shown("transfers")
        assert (shown["phase"], shown["waits_for"]) == ("write", place("P", 0))
        assert 0 < shown["waited"] <= shown["age"]
    assert case.status == 0
    case.told(LeaseExpired, faulty.producer)
    check_both_go_on(faulty)


def test_a_completion_that_gets_lost(faulty: Pair) -> None:
    case = Case(faulty)
    lost = Fault(call="get_new_notifs", does="drop", about=case.id)
    with faulty.consumer.faults.at_work(lost), case.asked():
        shown = case.shown("transfers", lambda row: row["phase"] == "completion")
        assert (shown["waits_for"], shown["ranks"]) == (place("D", 0), [0, 1])
        assert shown["size"] > 0
    assert case.status == 0
    check_both_go_on(faulty)


def test_a_registration_that_the_writer_chokes_on(faulty: Pair) -> None:
    case = Case(faulty)
    poison = stranger.registration(request_id=f"cmpl-{case.id}-0-deadbeef")
    visit = stranger.visiting(side_port(faulty.producer), poison)
    with visit, case.asked(NO_CONSUMER, patience=2):
        failed = case.told(WriterFailed, faulty.producer)
        assert (failed.seam, failed.error_type) == ("start write", "KeyError")
        assert case.told(WriteStarted, faulty.producer).outcome == "raised"
    case.told(LeaseExpired, faulty.producer)
    assert case.phase_before(LeaseExpired) is Phase.WRITE
    assert case.shown("done")["outcome"] != "finished"
    check_both_go_on(faulty)


def test_a_listener_that_one_bad_word_kills(faulty: Pair) -> None:
    case = Case(faulty)
    port = side_port(faulty.producer)
    with pytest.raises(TimeoutError):
        side_channel.knock(port, b"no word of vLLM's", patience=1)
    died = case.told(ListenerDied, faulty.producer, SCHEDULER)
    assert (died.host, died.port) == ("127.0.0.1", port)
    assert died.error
    check_both_go_on(faulty)


def test_an_engine_that_is_stopped_and_started_again_under_the_same_id(faulty: Pair) -> None:
    """The last test, since the consumer goes on to know the first producer."""
    case = Case(faulty)
    held = Fault(call="transfer", does="hold")
    with faulty.producer.faults.at_work(held), case.asked():
        case.told(MatchMade, faulty.producer)
        stop(faulty.producer)
        until_state(faulty, "died")
    faulty.producer.stop()
    patient = msgspec.structs.replace(faulty.producer.launch, flags=("--shutdown-timeout", "20"))
    again = Engine(patient, faulty.producer.run)
    again.start()
    try:
        with frozen(faulty.consumer):
            await_ready([again])
        until_state(faulty, "restarted")
        shown = case.shown("transfers")
        assert (shown["phase"], shown["waits_for"], shown["gone"]) == ("write", place("P", 0), True)
        stop(again)
        until_state(faulty, "ended")
    finally:
        again.stop()


@contextmanager
def frozen(engine: Engine) -> Iterator[None]:
    """Let another have its core: a consumer that waits for KV steps without a pause."""
    engine.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        engine.signal(signal.SIGCONT)


def stop(engine: Engine) -> None:
    """As a person, or Kubernetes, would."""
    os.kill(engine.pids["api"], signal.SIGTERM)


def until_state(pair: Pair, state: str) -> None:
    """Wait until this is said of the producer."""

    def look() -> bool | None:
        return {one["id"]: one["state"] for one in snapshot(pair)["engines"]}["P"] == state or None

    until(look, 40)


def side_port(engine: Engine) -> int:
    return engine.launch.side_port
