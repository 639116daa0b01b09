"""Hooks around the worker half's writer thread: registrations, matches and writes.

vLLM's writer swallows what its steps raise, together with what was left to do of them, so each
hook here also tells of an error.
"""

from typing import Any

import msgspec

from kvtrace.events import (
    MatchMade,
    MatchMissed,
    RegistrationNoticed,
    RegistrationSendFailed,
    WriterFailed,
    WriteStarted,
)
from kvtrace.identity import base_id
from kvtrace_connector.fuse import After, Bracket, Hook, Outcome
from kvtrace_connector.half import Push, Sending, WorkerHalf, Write
from kvtrace_connector.plain import blocks_in, identity, number, reason, text

REGISTRATION = b"PUSH_REG:"
"""What a consumer's registration begins with."""

COMPOSED = ("read_spec", "dst_engine_id", "request_id", "remote_request_id")
"""The first arguments of vLLM's `_xfer_blocks`."""


class Registration(msgspec.Struct):
    """What we read of a registration; vLLM reads all of it by itself."""

    request_id: str
    decode_engine_id: Any = None
    decode_host: Any = None
    decode_port: Any = None
    decode_tp_size: Any = None
    local_block_ids: Any = None


_decode = msgspec.msgpack.Decoder(Registration).decode


def registration_taken_up(
    half: WorkerHalf, _: Any, req_id: str, registration: Any, *__: Any
) -> Bracket:
    """Hook of _send_registration_to_p, which comes again once its handshake is done."""
    here = half.here
    here.side, here.request = "D", req_id
    yield (outcome := Outcome())
    here.side = here.request = ""
    _blame(half, "send registration", req_id, outcome.error)


def registration_sent(
    half: WorkerHalf, _: Any, req_id: str, registration: Any, *__: Any
) -> Bracket:
    """Hook of _do_send_reg_notif; the proxy around NIXL tells of each message."""
    producer = identity(registration.get("remote_engine_id"))
    here = half.here
    here.sending = sending = Sending(req_id, producer)
    yield (outcome := Outcome())
    here.sending = None
    if not sending.tried and outcome.error is None:
        half.record(
            RegistrationSendFailed(
                request=req_id, producer=producer, peer_rank=-1, error="no agent is known"
            )
        )


def registration_noticed(half: WorkerHalf, _: Any, notif: bytes, *__: Any) -> Bracket:
    """Hook of _handle_push_reg_notif."""
    now = half.now()
    try:
        registration = _decode(memoryview(notif)[len(REGISTRATION) :])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    half.noticed[registration.request_id] = now
    half.record(
        RegistrationNoticed(
            remote_request=registration.request_id,
            consumer=identity(registration.decode_engine_id),
            host=text(registration.decode_host),
            port=number(registration.decode_port),
            tp_size=number(registration.decode_tp_size),
            blocks=blocks_in(registration.local_block_ids),
            gap=half.gap,
            peer=half.senders.pop(id(notif), ""),
        )
    )
    here = half.here
    here.registration = registration
    yield (outcome := Outcome())
    here.registration = None
    _blame(half, "take registration", "", outcome.error)


def registration_looked_for(
    half: WorkerHalf, worker: Any, found: Any, request_id: str, *_: Any
) -> None:
    """Hook of _pop_matching_registration: blocks are there, and look for who wants them."""
    waiting = worker._pending_d_registrations
    if found is None:
        if waiting:  # that there was nothing to be missed is no news
            half.record(
                MatchMissed(request=request_id, looked_for="registration", candidates=len(waiting))
            )
        return
    remote = identity(found.get("request_id"))
    since = half.noticed.pop(remote, 0)
    half.record(
        MatchMade(
            request=request_id,
            remote_request=remote,
            consumer=identity(found.get("decode_engine_id")),
            exact=remote == request_id,
            candidates=_candidates(remote, request_id, waiting),
            first="registration",
            waited=half.now() - since if since else 0,
        )
    )


def blocks_looked_for(half: WorkerHalf, worker: Any, found: Any, request_id: str, *_: Any) -> None:
    """Hook of _pop_matching_finished_blocks: a registration is there, and looks for its blocks."""
    waiting = worker._push_finished_blocks
    if found is None:
        if waiting:
            half.record(
                MatchMissed(remote_request=request_id, looked_for="blocks", candidates=len(waiting))
            )
        return
    ours = found[0]
    since = half.queued.get(ours, 0)
    half.noticed.pop(request_id, None)
    registration = half.here.registration
    half.record(
        MatchMade(
            request=ours,
            remote_request=request_id,
            consumer="" if registration is None else identity(registration.decode_engine_id),
            exact=ours == request_id,
            candidates=_candidates(ours, request_id, waiting),
            first="blocks",
            waited=half.now() - since if since else 0,
        )
    )


def _candidates(found: str, wanted: str, left: Any) -> int:
    if not left or found == wanted:
        return 1
    base = base_id(wanted)
    return 1 + sum(base_id(other) == base for other in left)


def write_set_out(
    half: WorkerHalf, _: Any, request_id: str, blocks: Any, registration: Any, *__: Any
) -> Bracket:
    """Hook of _do_start_push_kv, which comes again once its handshake is done."""
    began = half.now()
    here = half.here
    ordinal = half.starts.get(request_id, 0)
    half.starts[request_id] = ordinal + 1
    side, here.side, here.request = here.side, "P", request_id
    here.push = push = Push(request_id)
    yield (outcome := Outcome())
    here.push = None
    here.side, here.request = side, ""
    error = push.error if outcome.error is None else reason(outcome.error)
    half.record(
        WriteStarted(
            request=request_id,
            remote_request=identity(registration.get("request_id")),
            consumer=identity(registration.get("decode_engine_id")),
            outcome=_what_came(push, error),
            took=half.now() - began,
            error=error,
            ordinal=ordinal,
        )
    )
    _blame(half, "start write", request_id, outcome.error)


def _what_came(push: Push, error: str) -> str:
    if push.deferred:
        return "deferred"
    if push.posted:
        return "submitted"
    return "raised" if error else "empty"


def write_composed(half: WorkerHalf, _: Any, *args: Any, **named: Any) -> Bracket:
    """Hook of _xfer_blocks; the proxy around NIXL tells of what is posted."""
    here = half.here
    told = dict(zip(COMPOSED, args, strict=False)) | named
    read_spec = told["read_spec"]
    here.write = Write(
        request=told["request_id"],
        consumer=told["dst_engine_id"],
        peer_rank=number(read_spec.remote_rank),
        remote_request=told["remote_request_id"],
        blocks=blocks_in(read_spec.local_block_ids),
        remote_blocks=blocks_in(read_spec.remote_block_ids),
    )
    yield None
    here.write = None


def _blame(half: WorkerHalf, seam: str, request: str, error: BaseException | None) -> None:
    """Record an error where it passes first; the steps around it see the same one."""
    here = half.here
    if error is None or here.blamed:
        here.blamed = False
        return
    here.blamed = here.registration is not None
    half.record(
        WriterFailed(
            request=request, seam=seam, error=reason(error), error_type=type(error).__name__
        )
    )


HOOKS: dict[str, Hook | After] = {
    "_send_registration_to_p": registration_taken_up,
    "_do_send_reg_notif": registration_sent,
    "_handle_push_reg_notif": registration_noticed,
    "_pop_matching_registration": After(registration_looked_for),
    "_pop_matching_finished_blocks": After(blocks_looked_for),
    "_do_start_push_kv": write_set_out,
    "_xfer_blocks": write_composed,
}
"""What the methods of the host's worker tell us that its writer calls."""
