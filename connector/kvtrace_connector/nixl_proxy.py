"""Stands in the place of a worker's NIXL agent: all its messages and writes pass here."""

from collections.abc import Callable
from typing import Any

from kvtrace.events import (
    NotificationNoticed,
    RegistrationSendFailed,
    RegistrationSent,
    WriteFailed,
    WriteFinished,
    WritePosted,
)
from kvtrace_connector.fuse import Bracket, Hook, surrounded
from kvtrace_connector.half import WorkerHalf, Write
from kvtrace_connector.plain import number, reason, text
from kvtrace_connector.writer import REGISTRATION

HEARTBEAT = b"HB:"
MICROSECOND = 1000
"""Nanoseconds; NIXL's telemetry counts microseconds."""


def message_sent(
    half: WorkerHalf, _: Any, agent: str, notif_msg: bytes = b"", *__: Any, **___: Any
) -> Bracket:
    """Hook of send_notif."""
    here = half.here
    sending, beats = here.sending, here.beats
    if sending is not None and notif_msg.startswith(REGISTRATION):
        sending.tried = True
        began = half.now()
        outcome = yield
        place: dict[str, Any] = {
            "request": sending.request,
            "producer": sending.producer,
            "peer_rank": half.rank_of(agent),
        }
        if outcome.error is None:
            took = half.now() - began
            half.record(RegistrationSent(**place, size=len(notif_msg), took=took))
        else:
            half.record(RegistrationSendFailed(**place, error=reason(outcome.error)))
    elif beats is not None and notif_msg.startswith(HEARTBEAT):
        outcome = yield
        beats[agent] = "" if outcome.error is None else reason(outcome.error)


def messages_drained(half: WorkerHalf, *_: Any, **__: Any) -> Bracket:
    """Hook of get_new_notifs, which the writer calls once a loop."""
    steps = half.steps
    steps.loops += 1
    outcome = yield
    now = half.now()
    half.gap = gap = now - half.drained if half.drained else 0
    half.drained = now
    if gap > steps.longest_gap:
        steps.longest_gap = gap
    if outcome.error is None and outcome.result:
        half.senders.clear()
        for agent, messages in outcome.result.items():
            for message in messages:
                _drained(half, text(agent), message)


def _drained(half: WorkerHalf, agent: str, message: bytes) -> None:
    if message.startswith(REGISTRATION):
        half.senders[id(message)] = agent
        return
    request, _, producers = message.rpartition(b":")
    if message.startswith(HEARTBEAT) or not producers.isdigit():
        return
    name = request.decode(errors="replace")
    half.landed[name] = int(producers)
    half.record(
        NotificationNoticed(request=name, peer=agent, peer_rank=half.rank_of(agent), gap=half.gap)
    )


def write_prepared(
    half: WorkerHalf, _: Any, operation: str, side: Any, indices: Any, *__: Any, **___: Any
) -> Bracket:
    """Hook of make_prepped_xfer."""
    write = half.here.write
    if write is None:
        return
    began = half.now()
    outcome = yield
    write.prepare = half.now() - began
    write.descriptors = len(indices)
    if outcome.error is None:
        half.writes[_key(outcome.result)] = write
    else:
        _failed(half, write, "prepare", reason(outcome.error))


def write_posted(half: WorkerHalf, _: Any, handle: Any, *__: Any, **___: Any) -> Bracket:
    """Hook of transfer."""
    write = half.writes.get(_key(handle))
    if write is None:
        return
    began = half.now()
    outcome = yield
    write.posted = half.now()
    push = half.here.push
    if outcome.error is not None:
        _failed(half, write, "post", reason(outcome.error))
        return
    if push is not None:
        push.posted += 1
    half.record(
        WritePosted(
            request=write.request,
            consumer=write.consumer,
            peer_rank=write.peer_rank,
            descriptors=write.descriptors,
            blocks=write.blocks,
            remote_blocks=write.remote_blocks,
            prepare=write.prepare,
            post=write.posted - began,
            remote_request=write.remote_request,
        )
    )


def write_polled(half: WorkerHalf, _: Any, handle: Any) -> Bracket | None:
    """Hook of check_xfer_state."""
    half.steps.polls += 1
    write = half.writes.get(_key(handle))
    return None if write is None else _polled(half, write)


def _polled(half: WorkerHalf, write: Write) -> Bracket:
    write.polls += 1
    outcome = yield
    if outcome.error is not None:
        _failed(half, write, "transfer", reason(outcome.error))
    elif outcome.result == "DONE":
        write.landed = True
    elif outcome.result != "PROC":
        _failed(half, write, "transfer", text(outcome.result))


def write_measured(half: WorkerHalf, _: Any, handle: Any) -> Bracket:
    """Hook of get_xfer_telemetry."""
    write = half.writes.get(_key(handle))
    if write is None:
        return
    outcome = yield
    if outcome.error is None:
        _finished(half, write, outcome.result)
    else:
        _failed(half, write, "telemetry", reason(outcome.error))


def write_released(half: WorkerHalf, _: Any, handle: Any) -> Bracket:
    """Hook of release_xfer_handle."""
    key = _key(handle)
    write = half.writes.get(key)
    if write is None:
        return
    outcome = yield
    if outcome.error is None:
        half.writes.pop(key, None)
        if write.landed:
            _finished(half, write, None)


def _finished(half: WorkerHalf, write: Write, telemetry: Any) -> None:
    if write.told:
        return
    write.told = True
    half.record(
        WriteFinished(
            request=write.request,
            peer_rank=write.peer_rank,
            size=number(getattr(telemetry, "totalBytes", 0)),
            descriptors=number(getattr(telemetry, "descCount", 0)),
            post=number(getattr(telemetry, "postDuration", 0)) * MICROSECOND,
            transfer=number(getattr(telemetry, "xferDuration", 0)) * MICROSECOND,
            polls=write.polls,
        )
    )


def _failed(half: WorkerHalf, write: Write, stage: str, error: str) -> None:
    """Record a failure; a handle that cannot be released is polled again and again."""
    if write.told:
        return
    write.told = True
    push = half.here.push
    if push is not None:
        push.error = error
    half.record(
        WriteFailed(
            request=write.request,
            consumer=write.consumer,
            peer_rank=write.peer_rank,
            stage=stage,
            error=error,
        )
    )


def _key(handle: Any) -> int:
    """What tells a handle from all others in use, without keeping it alive.

    NIXL's handles are objects without a value to compare by, and were integers once.
    """
    return handle if isinstance(handle, int) else id(handle)


def _delegated(name: str, hook: Hook, takes: int = 1) -> Callable[..., Any]:
    def stock(proxy: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(proxy._agent, name)(*args, **kwargs)

    return surrounded(hook, stock, takes)


class NixlProxy:
    """A NIXL agent that behaves in all as the one behind it."""

    def __init__(self, agent: Any, half: WorkerHalf) -> None:
        self._agent = agent
        self._kvtrace = half

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    send_notif = _delegated("send_notif", message_sent)
    get_new_notifs = _delegated("get_new_notifs", messages_drained)
    make_prepped_xfer = _delegated("make_prepped_xfer", write_prepared)
    transfer = _delegated("transfer", write_posted)
    check_xfer_state = _delegated("check_xfer_state", write_polled)
    get_xfer_telemetry = _delegated("get_xfer_telemetry", write_measured)
    release_xfer_handle = _delegated("release_xfer_handle", write_released)
