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
from kvtrace_connector.around import surrounded
from kvtrace_connector.fuse import After, Bracket, Hook, Outcome
from kvtrace_connector.half import WorkerHalf, Write
from kvtrace_connector.plain import identity, number, reason, text
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
        yield (outcome := Outcome())
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
        yield (outcome := Outcome())
        beats[agent] = "" if outcome.error is None else reason(outcome.error)


def messages_drained(half: WorkerHalf, _: Any, came: Any, *__: Any, **___: Any) -> None:
    """Hook of get_new_notifs, which the writer calls once a loop."""
    now = half.now()
    steps = half.steps
    steps.loops += 1
    half.gap = gap = now - half.drained if half.drained else 0
    half.drained = now
    if gap > steps.longest_gap:
        steps.longest_gap = gap
    if came:
        half.senders.clear()
        for agent, messages in came.items():
            for message in messages:
                _drained(half, identity(agent), message)


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
    yield (outcome := Outcome())
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
    yield (outcome := Outcome())
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


def write_polled(half: WorkerHalf, _: Any, state: Any, handle: Any, *__: Any) -> None:
    """Hook of check_xfer_state."""
    half.steps.polls += 1
    write = half.writes.get(_key(handle))
    if write is None:
        return
    write.polls += 1
    if state == "DONE":
        write.landed = True
    elif state != "PROC":
        _failed(half, write, "transfer", text(state))


def poll_raised(half: WorkerHalf, _: Any, error: BaseException, handle: Any, *__: Any) -> None:
    """Hook of check_xfer_state."""
    half.steps.polls += 1
    write = half.writes.get(_key(handle))
    if write is not None:
        write.polls += 1
        _failed(half, write, "transfer", reason(error))


def write_measured(half: WorkerHalf, _: Any, telemetry: Any, handle: Any, *__: Any) -> None:
    """Hook of get_xfer_telemetry."""
    write = half.writes.get(_key(handle))
    if write is not None:
        _finished(half, write, telemetry)


def measuring_raised(half: WorkerHalf, _: Any, error: BaseException, handle: Any, *__: Any) -> None:
    """Hook of get_xfer_telemetry."""
    write = half.writes.get(_key(handle))
    if write is not None:
        _failed(half, write, "telemetry", reason(error))


def write_released(half: WorkerHalf, _: Any, __: Any, handle: Any, *___: Any) -> None:
    """Hook of release_xfer_handle."""
    write = half.writes.pop(_key(handle), None)
    if write is not None and write.landed:
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


def _delegated(name: str, hook: Hook | After) -> Callable[..., Any]:
    def stock(proxy: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(proxy._agent, name)(*args, **kwargs)

    return surrounded(hook, stock)


class NixlProxy:
    """A NIXL agent that behaves in all as the one behind it."""

    def __init__(self, agent: Any, half: WorkerHalf) -> None:
        self._agent = agent
        self._kvtrace = half

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    send_notif = _delegated("send_notif", message_sent)
    get_new_notifs = _delegated("get_new_notifs", After(messages_drained))
    make_prepped_xfer = _delegated("make_prepped_xfer", write_prepared)
    transfer = _delegated("transfer", write_posted)
    check_xfer_state = _delegated("check_xfer_state", After(write_polled, poll_raised))
    get_xfer_telemetry = _delegated("get_xfer_telemetry", After(write_measured, measuring_raised))
    release_xfer_handle = _delegated("release_xfer_handle", After(write_released))
