"""Hooks around the scheduler half: requests from admission to release, on either side."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kvtrace.events import (
    BlocksReady,
    BlocksReleased,
    BlocksShipped,
    LoadDecided,
    PrefillAdmitted,
    ReceiveFailed,
    ReceiveFinished,
    RegistrationExpired,
    RegistrationShipped,
    RegistrationSkipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestFinished,
    RequestResumed,
)
from kvtrace_connector.bounded import Bounded
from kvtrace_connector.fuse import After, Bracket, Hook, Outcome
from kvtrace_connector.plain import blocks_in, identity, nanoseconds, number, text
from kvtrace_connector.probe import Probe
from kvtrace_connector.samples import Tables

REMOTE = ("remote_engine_id", "remote_request_id", "remote_host", "remote_port", "tp_size")
"""What a router must tell the consumer of the producer; without one of them no heartbeat."""

TABLES = {
    "registrations_to_ship": "_push_pending_registrations",
    "registration_deadlines": "_push_registration_deadlines",
    "blocks_to_ship": "_newly_finished_push_blocks",
    "blocks_held": "_finished_request_blocks",
    "heartbeats": "_heartbeat_req_engine",
}
"""vLLM's tables by what screens call them."""


class Wait(msgspec.Struct):
    """What a consumer's scheduler remembers of a request that waits for its KV."""

    decided: tuple[int, int] | None = None
    staged: int = 0
    skipped: bool = False
    parked: bool = False
    armed: bool = False
    """Whether the watchdog's deadline runs."""

    failed: bool = False


class SchedulerHalf:
    """What we know of one engine's scheduler."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.fuse = probe.fuse
        self.record = probe.record
        self.now = probe.now
        self.waits: Bounded[str, Wait] = Bounded()
        self.prefills: Bounded[str, int] = Bounded()
        """When a producer's request came in, until it is admitted."""

        self.ready: Bounded[str, int] = Bounded()
        """When blocks that are held became ready, until they are shipped."""

        self.tables = Tables(TABLES)


def request_known(half: SchedulerHalf, _: Any, request: Any, *__: Any) -> None:
    """Hook of on_new_request."""
    params = request.kv_transfer_params
    if not params:
        return
    if params.get("do_remote_decode"):
        half.prefills[request.request_id] = half.now()
    if not params.get("do_remote_prefill"):
        return
    half.waits[request.request_id] = Wait()
    missing = tuple(name for name in REMOTE if params.get(name) is None)
    half.record(
        RequestAdmitted(
            request=request.request_id,
            producer=identity(params.get("remote_engine_id")),
            remote_request=identity(params.get("remote_request_id")),
            host=text(params.get("remote_host")),
            port=number(params.get("remote_port")),
            tp_size=number(params.get("tp_size")),
            tokens=number(getattr(request, "num_prompt_tokens", 0)),
            heartbeat=not missing,
            missing=missing,
            trace=_trace(request),
        )
    )


def load_decided(
    half: SchedulerHalf, _: Any, result: Any, request: Any, num_computed_tokens: int, *__: Any
) -> None:
    """Hook of get_num_new_matched_tokens, which a request without a place hears at every step."""
    wait = half.waits.get(request.request_id)
    if wait is None or wait.staged:
        return
    tokens, asynchronous = result
    decided = (number(tokens), number(num_computed_tokens))
    if decided == wait.decided:
        return
    wait.decided = decided
    half.record(
        LoadDecided(
            request=request.request_id,
            tokens=decided[0],
            computed=decided[1],
            asynchronous=bool(asynchronous),
        )
    )


def blocks_allocated(
    half: SchedulerHalf, scheduler: Any, request: Any, blocks: Any, num_external_tokens: int
) -> Bracket:
    """Hook of update_state_after_alloc, which hears of a request at each (re)start."""
    params = request.kv_transfer_params
    if not params:
        return
    if params.get("do_remote_decode"):
        _prefill_admitted(half, request)
        return
    wait = half.waits.get(request.request_id)
    if wait is None:
        return
    # The call clears the flag, so that the first call and the resuming one look alike after it.
    if not params.get("do_remote_prefill"):
        _resumed(half, request.request_id, wait)
        return
    yield (outcome := Outcome())
    if outcome.error is None:
        staged = scheduler._push_pending_registrations.get(request.request_id)
        _staged(half, request.request_id, staged, number(num_external_tokens))


def _prefill_admitted(half: SchedulerHalf, request: Any) -> None:
    arrived = half.prefills.pop(request.request_id, None)
    if arrived is None:
        return
    half.record(
        PrefillAdmitted(
            request=request.request_id,
            tokens=number(getattr(request, "num_prompt_tokens", 0)),
            trace=_trace(request),
            queued=half.now() - arrived,
        )
    )


def _resumed(half: SchedulerHalf, request_id: str, wait: Wait) -> None:
    if wait.parked:
        wait.parked = wait.armed = False
        half.record(RequestResumed(request=request_id, failed=wait.failed))


def _staged(
    half: SchedulerHalf, request_id: str, staged: Mapping[str, Any] | None, tokens: int
) -> None:
    wait = half.waits[request_id]
    if staged is None:
        if not wait.skipped:
            wait.skipped = True
            why = "no blocks" if tokens > 0 else "full hit"
            half.record(RegistrationSkipped(request=request_id, reason=why))
        return
    again, wait.staged = wait.staged > 0, half.now()
    wait.parked = wait.armed = True
    half.record(
        RegistrationStaged(
            request=request_id,
            producer=identity(staged.get("remote_engine_id")),
            blocks=blocks_in(staged.get("local_block_ids")),
            tokens=tokens,
            host=text(staged.get("remote_host")),
            port=number(staged.get("remote_port")),
            ordinal=int(again),
        )
    )


def work_shipped(half: SchedulerHalf, scheduler: Any, *_: Any) -> Bracket | None:
    """Hook of build_connector_meta, at every step."""
    waiting = half.ready or scheduler._push_pending_registrations
    if waiting or scheduler._push_registration_deadlines or half.now() >= half.tables.due:
        return _shipping(half, scheduler)
    return None


def _shipping(half: SchedulerHalf, scheduler: Any) -> Bracket:
    armed = len(scheduler._push_registration_deadlines)
    yield (outcome := Outcome())
    if outcome.error is not None:
        return
    if len(scheduler._push_registration_deadlines) < armed:
        _expired(half, scheduler)
    now = half.now()
    for request_id in outcome.result.push_registrations:
        wait = half.waits.get(request_id)
        waited = now - wait.staged if wait is not None and wait.staged else 0
        half.record(RegistrationShipped(request=request_id, waited=waited))
    for request_id in outcome.result.push_finished_blocks:
        waited = now - half.ready.pop(request_id, now)
        half.record(BlocksShipped(request=request_id, waited=waited))
    if now >= half.tables.due:
        half.tables.sample(half.record, scheduler, now, _oldest(half, now))


def _expired(half: SchedulerHalf, scheduler: Any) -> None:
    timeout = nanoseconds(getattr(scheduler, "_push_registration_timeout", 0))
    for request_id, wait in tuple(half.waits.items()):
        if wait.armed and request_id not in scheduler._push_registration_deadlines:
            wait.armed = False
            half.record(RegistrationExpired(request=request_id, timeout=timeout))


def _oldest(half: SchedulerHalf, now: int) -> dict[str, int]:
    staged = next((wait.staged for wait in half.waits.values() if wait.parked), None)
    return {} if staged is None else {"registration_deadlines": now - staged}


def request_ended(
    half: SchedulerHalf, scheduler: Any, request: Any, block_ids: Any, *_: Any
) -> Bracket:
    """Hook of request_finished."""
    params = request.kv_transfer_params
    wait = half.waits.pop(request.request_id, None)
    half.prefills.pop(request.request_id, None)
    produces = bool(params and params.get("do_remote_decode"))
    if wait is None and not produces:
        return
    yield (outcome := Outcome())
    if outcome.error is not None:
        return
    status = text(getattr(request.status, "name", request.status))
    if wait is not None:
        half.record(RequestFinished(request=request.request_id, status=status, parked=wait.parked))
    if produces:
        _blocks_ready(half, request, status, (outcome.result[0], block_ids))


def _blocks_ready(half: SchedulerHalf, request: Any, status: str, held: tuple[bool, Any]) -> None:
    if held[0]:
        half.ready[request.request_id] = half.now()
    half.record(
        BlocksReady(
            request=request.request_id,
            status=status,
            blocks=blocks_in(held[1]),
            held=bool(held[0]),
            computed=number(getattr(request, "num_computed_tokens", 0)),
        )
    )


def ranks_reported(half: SchedulerHalf, _: Any, connector_output: Any) -> Bracket | None:
    """Hook of update_connector_output."""
    if connector_output.finished_recving or connector_output.finished_sending:
        return _reported(half, connector_output)
    return None


def _reported(half: SchedulerHalf, connector_output: Any) -> Bracket:
    yield (outcome := Outcome())
    if outcome.error is not None:
        return
    failed = getattr(connector_output, "failed_recving", None) or ()
    for request_id in connector_output.finished_recving or ():
        wait = half.waits.get(request_id)
        if wait is not None:
            wait.failed = request_id in failed
            wait.armed = False
        event = ReceiveFailed if request_id in failed else ReceiveFinished
        half.record(event(request=request_id))
    for request_id in connector_output.finished_sending or ():
        half.record(BlocksReleased(request=request_id))


def _trace(request: Any) -> str:
    return text((getattr(request, "trace_headers", None) or {}).get("traceparent"))


HOOKS: dict[str, Hook | After] = {
    "on_new_request": request_known,
    "get_num_new_matched_tokens": After(load_decided),
    "update_state_after_alloc": blocks_allocated,
    "build_connector_meta": work_shipped,
    "request_finished": request_ended,
    "update_connector_output": ranks_reported,
}
"""What each method of the host's scheduler tells us."""
