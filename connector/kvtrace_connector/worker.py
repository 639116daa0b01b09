"""Hooks around the worker half's main thread: what it takes from its scheduler, and reports."""

import time
from collections.abc import Callable
from typing import Any

from kvtrace.events import (
    BlocksQueued,
    CompletionCounted,
    FailureLogged,
    HeartbeatSent,
    LeaseExpired,
    LeaseGranted,
    LeaseRenewed,
    ReceiveReported,
    RegistrationQueued,
    SendReported,
)
from kvtrace_connector.fuse import Bracket, Hook, Outcome
from kvtrace_connector.half import WorkerHalf
from kvtrace_connector.plain import blocks_in, identity, nanoseconds, reason, text

NAMED_REASONS = ("dst_engine_id", "remote_engine_id")
"""Where vLLM names the peer of a failure."""

LOGGED = ("req_id", "msg", "error")
"""The arguments of vLLM's `_log_failure` after the first."""


def work_taken(
    half: WorkerHalf,
    worker: Any,
    metadata: Any,
    *_: Any,
    clock: Callable[[], float] = time.perf_counter,
) -> Bracket | None:
    """Hook of start_load_kv, from which vLLM also calls _send_heartbeats."""
    beats = metadata.heartbeat_by_engine
    taken = metadata.push_registrations or metadata.push_finished_blocks or metadata.reqs_to_send
    if not (taken or beats):
        return None
    if getattr(worker, "pcp_rank", 0) and not getattr(worker, "pcp_dcp_sharded", False):
        return None
    for request_id, registration in metadata.push_registrations.items():
        half.registered[request_id] = half.now()
        half.record(
            RegistrationQueued(
                request=request_id, producer=identity(registration.get("remote_engine_id"))
            )
        )
    for request_id, blocks in metadata.push_finished_blocks.items():
        half.queued[request_id] = half.now()
        half.record(BlocksQueued(request=request_id, blocks=blocks_in(blocks)))
    granted = tuple(metadata.reqs_to_send)
    return _taking(half, worker, granted, beats, clock) if granted or beats else None


def _taking(
    half: WorkerHalf,
    worker: Any,
    granted: tuple[str, ...],
    beats: Any,
    clock: Callable[[], float],
) -> Bracket:
    here = half.here
    errors: dict[str, str] = {}
    if beats:
        # The proxy around NIXL counts the messages.
        here.side, here.beats = "D", errors
    yield None
    if beats:
        here.side, here.beats = "", None
    for request_id in granted:
        until = worker._reqs_to_send.get(request_id)
        if until is not None:
            half.record(LeaseGranted(request=request_id, lease=nanoseconds(until - clock())))
    for engine, beat in beats.items():
        _beaten(half, engine, beat, errors)


def _beaten(half: WorkerHalf, engine: str, beat: Any, every: dict[str, str]) -> None:
    errors = [error for agent, error in every.items() if half.engine_of(agent) == engine]
    if errors:
        failures = [error for error in errors if error]
        half.record(
            HeartbeatSent(
                producer=identity(engine),
                requests=len(beat.req_ids),
                failed=len(failures),
                error=failures[0] if failures else "",
            )
        )


def results_told(half: WorkerHalf, worker: Any, *_: Any) -> Bracket | None:
    """Hook of get_transfer_results, or of get_finished on releases without it."""
    if worker._reqs_to_send or worker._recving_metadata or half.queued or half.registered:
        return _telling(half, worker)
    return None


def _telling(half: WorkerHalf, worker: Any) -> Bracket:
    # Releases that reap leases in their own method tell of it there.
    reaps = hasattr(worker, "_reap_expired_send_leases")
    leases = {} if reaps else dict(worker._reqs_to_send)
    yield (outcome := Outcome())
    if outcome.error is not None:
        return
    sent, received, failed = _told(half, outcome.result)
    for request_id in sent:
        if leases.get(request_id, float("inf")) <= time.perf_counter():
            _expired(half, request_id, 0)
        half.forget_blocks(request_id)
        half.record(SendReported(request=request_id))
    for request_id in received:
        half.forget_registration(request_id)
        half.record(ReceiveReported(request=request_id, failed=request_id in failed))


def _told(half: WorkerHalf, results: Any) -> tuple[Any, Any, Any]:
    if isinstance(results, tuple):
        sent, received = results
        return sent or (), received or (), half.failed
    return results.finished_sending, results.finished_recving, results.failed_recving


def leases_reaped(half: WorkerHalf, worker: Any, done_sending: set[str], *_: Any) -> Bracket | None:
    """Hook of _reap_expired_send_leases."""
    return _reaped(half, worker, done_sending) if worker._reqs_to_send else None


def _reaped(half: WorkerHalf, worker: Any, done_sending: set[str]) -> Bracket:
    before = frozenset(done_sending)
    readers = dict(worker.consumer_notification_counts_by_req)
    yield None
    for request_id in done_sending - before:
        _expired(half, request_id, readers.get(request_id, 0))


def _expired(half: WorkerHalf, request_id: str, readers: int) -> None:
    writes = half.writes_of(request_id)
    half.record(LeaseExpired(request=request_id, readers=readers, writes=writes))


def heartbeat_taken(half: WorkerHalf, worker: Any, payload: str, *_: Any) -> None:
    """Hook of _handle_heartbeat."""
    named = payload.split(",")
    strangers = [one for one in named if one not in worker._reqs_to_send]
    half.record(
        LeaseRenewed(
            matched=len(named) - len(strangers),
            unmatched=len(strangers),
            example=identity(strangers[0]) if strangers else "",
        )
    )


def completions_counted(half: WorkerHalf, worker: Any, *_: Any) -> Bracket | None:
    """Hook of _get_new_notifs."""
    return _counting(half, worker) if half.landed else None


def _counting(half: WorkerHalf, worker: Any) -> Bracket:
    counts = worker.consumer_notification_counts_by_req
    waiting = {
        request_id: (counts.get(request_id, 0), producers)
        for request_id, producers in tuple(half.landed.items())
    }
    yield (outcome := Outcome())
    if outcome.error is not None:
        return
    for request_id, (before, producers) in waiting.items():
        _counted(half, worker, request_id, (before, producers))


def _counted(half: WorkerHalf, worker: Any, request_id: str, was: tuple[int, int]) -> None:
    receive = worker._recving_metadata.get(request_id)
    if receive is None:
        half.landed.pop(request_id, None)
        return
    count = worker.consumer_notification_counts_by_req.get(request_id, 0)
    needed = getattr(receive, "pp_size", 1) * max(1, was[1] // worker.world_size)
    if request_id in worker._recving_transfers:
        half.landed.pop(request_id, None)
        half.record(CompletionCounted(request=request_id, count=needed, needed=needed))
    elif count > was[0]:
        half.record(CompletionCounted(request=request_id, count=count, needed=needed))


def failure_logged(half: WorkerHalf, _: Any, failure_type: str, *args: Any, **named: Any) -> None:
    """Hook of _log_failure, which hears of most failures."""
    context = dict(zip(LOGGED, args, strict=False)) | named
    request_id, error = context.get("req_id"), context.get("error")
    if request_id is not None and request_id in half.registered:
        half.failed[request_id] = True
    half.record(
        FailureLogged(
            request=identity(request_id),
            failure=text(failure_type),
            message=text(context.get("msg")),
            error="" if error is None else reason(error),
            error_type="" if error is None else type(error).__name__,
            peer=identity(next((context[name] for name in NAMED_REASONS if name in context), None)),
        )
    )


HOOKS: dict[str, Hook] = {
    "start_load_kv": work_taken,
    "get_transfer_results": results_told,
    "_reap_expired_send_leases": leases_reaped,
    "_handle_heartbeat": heartbeat_taken,
    "_get_new_notifs": completions_counted,
    "_log_failure": failure_logged,
}
"""What the methods of the host's worker tell us that its main thread calls."""
