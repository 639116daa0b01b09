"""Hooks around the worker half's handshakes, from the queue of their one thread to the answer."""

from collections.abc import Mapping
from typing import Any

from kvtrace.events import HandshakeFailed, HandshakeFinished, HandshakeStarted
from kvtrace.model import Role
from kvtrace_connector.fuse import Bracket, Hook, Outcome
from kvtrace_connector.half import Asked, Exchange, WorkerHalf
from kvtrace_connector.plain import nanoseconds, number, reason, text


def handshake_asked_for(
    half: WorkerHalf, worker: Any, engine_id: str, *_: Any, **__: Any
) -> Bracket | None:
    """Hook of _ensure_handshake, which most often finds the peer known."""
    return None if engine_id in worker._remote_agents else _asking(half, engine_id)


def _asking(half: WorkerHalf, engine_id: str) -> Bracket:
    here = half.here
    asked = half.asked.get(engine_id) or half.exchanging.get(engine_id)
    if asked is None:
        # Before the call, in which the handshake's thread may already begin.
        half.asked[engine_id] = Asked(half.now(), here.side, here.request)
    elif not asked.request:
        # A heartbeat was first; the request that waits for the same answer is better known by it.
        asked.request = here.request
    yield (outcome := Outcome())
    if outcome.result is not None and here.push is not None:
        here.push.deferred = True


def handshake(half: WorkerHalf, _: Any, host: str, port: int, *rest: Any, **named: Any) -> Bracket:
    """Hook of _nixl_handshake."""
    tp_size, engine = rest[:2]
    began = half.now()
    asked = half.asked.pop(engine, None) or Asked(began, _side(half), half.here.request)
    half.exchanging[engine] = asked
    place = _place(half, asked, engine, (text(host), number(port)))
    notify_only = bool(named.get("notif_agents_only", rest[-1] is True))
    half.record(HandshakeStarted(**place, notify_only=notify_only, waited=began - asked.at))
    half.here.exchange = exchange = Exchange(half.now())
    yield (outcome := Outcome())
    half.here.exchange = None
    half.exchanging.pop(engine, None)
    place |= {"request": asked.request, "took": half.now() - began}
    if (error := outcome.error) is not None:
        half.record(HandshakeFailed(**place, error=reason(error), error_type=type(error).__name__))
        return
    agents, offset = _answer(outcome.result)
    half.meet(engine, agents, tp_size)
    half.record(
        HandshakeFinished(
            **place,
            round_trip=exchange.round_trip,
            clock_offset=None if offset is None else nanoseconds(offset),
            ranks=len(agents),
        )
    )


def _place(half: WorkerHalf, asked: Asked, engine: str, address: tuple[str, int]) -> dict[str, Any]:
    attempt = half.attempts[engine] = half.attempts.get(engine, -1) + 1
    return {
        "request": asked.request,
        "side": asked.side or _side(half),
        "peer": engine,
        "host": address[0],
        "port": address[1],
        "ordinal": attempt,
    }


def answer_taken_in(half: WorkerHalf, *_: Any, **__: Any) -> Bracket:
    """Hook of what follows the answer of each rank, and so ends a round trip.

    From the beginning of the exchange to here is a little more than the round trip itself, which
    errs on the safe side: half of it bounds the error of the clock offset.
    """
    exchange = half.here.exchange
    if exchange is None:
        return
    round_trip = half.now() - exchange.since
    exchange.round_trip = min(round_trip, exchange.round_trip or round_trip)
    yield None
    exchange.since = half.now()


def _answer(result: Any) -> tuple[Mapping[Any, str], float | None]:
    """The agents by rank, and the peer's clock less ours in seconds, which older releases lack."""
    return result if isinstance(result, tuple) else (result, None)


def _side(half: WorkerHalf) -> str:
    if half.here.side:
        return half.here.side
    role = half.probe.speaker.role
    return "" if role is None else Role(role).value


HOOKS: dict[str, Hook] = {
    "_ensure_handshake": handshake_asked_for,
    "_nixl_handshake": handshake,
    "add_remote_agent": answer_taken_in,
    "_add_notif_only_remote_agent": answer_taken_in,
}
"""What the methods of the host's worker tell us of handshakes."""
