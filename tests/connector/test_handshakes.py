from typing import Any

import pytest

from tests.connector.pair import Pair, scripted


def unreachable(*_: Any, **__: Any) -> Any:
    raise TimeoutError("Resource temporarily unavailable")


def handshake(worker: Any, answer: Any) -> Any:
    """The traced handshake of a worker whose host answers like that."""
    return scripted(worker, "_nixl_handshake", answer)


def test_a_handshake_is_told_on_the_half_that_asked_for_it() -> None:
    pair = Pair()
    pair.push()
    begun = pair.tape.events("handshake.started")
    assert [(event.side, event.peer, event.request) for event in begun] == [
        ("D", "P", "cmpl-1-bbbbbbbb"),
        ("P", "D", "cmpl-1-aaaaaaaa"),
    ]


def test_a_handshake_tells_the_peers_clock_and_a_bound_of_the_round_trip() -> None:
    pair = Pair()
    pair.push()
    done = pair.tape.events("handshake.finished")[0]
    assert (done.clock_offset, done.ranks) == (500_000_000, 1)
    assert 0 < done.round_trip <= done.took


def test_older_releases_tell_no_clock() -> None:
    pair = Pair()
    answer = lambda *_, **__: {0: "agent-P"}  # noqa: E731  (a method of the stand-in)
    handshake(pair.consumer.worker, answer)("10.0.0.1", 5600, 1, "P")
    assert pair.tape.only("handshake.finished").clock_offset is None
    assert pair.consumer.worker._kvtrace.rank_of("agent-P") == 0


def test_ranks_are_counted_over_the_stages_of_a_pipeline() -> None:
    pair = Pair()
    answer = lambda *_, **__: ({(1, 1): "agent-P3"}, 0.0)  # noqa: E731
    handshake(pair.consumer.worker, answer)("10.0.0.1", 5600, 2, "P")
    assert pair.consumer.worker._kvtrace.rank_of("agent-P3") == 3


def test_a_handshake_that_fails_tells_why() -> None:
    pair = Pair()
    with pytest.raises(TimeoutError):
        handshake(pair.consumer.worker, unreachable)("10.0.0.1", 5600, 1, "P")
    failed = pair.tape.only("handshake.failed")
    assert (failed.host, failed.port, failed.error_type) == ("10.0.0.1", 5600, "TimeoutError")
    assert failed.side == "D"


def test_attempts_are_counted_by_peer() -> None:
    pair = Pair()
    shake = handshake(pair.consumer.worker, unreachable)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            shake("10.0.0.1", 5600, 1, "P")
    assert [event.ordinal for event in pair.tape.events("handshake.failed")] == [0, 1]


def test_a_registration_lends_its_name_to_a_handshake_that_a_heartbeat_began() -> None:
    pair = Pair()
    half = pair.consumer.worker._kvtrace
    worker = pair.consumer.worker

    def meanwhile(*_: Any, **__: Any) -> Any:
        half.here.request = "cmpl-1-bbbbbbbb"
        worker._ensure_handshake("P", "10.0.0.1", 5600, 1)
        return {}, 0.0

    calls = iter([meanwhile, lambda *_, **__: ({}, 0.0)])
    shake = handshake(worker, lambda *args, **more: next(calls)(*args, **more))
    shake("10.0.0.1", 5600, 1, "P")
    begun, done = pair.tape.events("handshake.started", "handshake.finished")[::3]
    assert (begun.request, done.request) == ("", "cmpl-1-bbbbbbbb")
