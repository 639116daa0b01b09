"""The handshake that a transfer needed and did not get: who asked whom, and what the error says."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    FailureLogged,
    HandshakeFailed,
    RegistrationNoticed,
    RegistrationSent,
    RequestAdmitted,
    WritePosted,
)
from kvtrace.model import Role

SECOND = 1_000_000_000

Failed: TypeAlias = Found[HandshakeFailed]


class Why(StrEnum):
    """What kept the two from each other."""

    SILENT = "no answer"
    ANOTHER = "another engine answered"
    HASH = "the compatibility hashes differ"
    LAYOUT = "the layouts do not fit"
    OTHER = "something else"


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One handshake that failed, as far as one transfer is concerned."""

    caller: Role
    told: Found[FailureLogged] | Failed
    address: str
    """`host:port` that was asked; empty where nobody told."""

    host: str
    took: int
    """Nanoseconds; 0 where nobody told."""

    error: str
    why: Why


def failure(case: Case) -> Failure | None:
    """The handshake that failed for this transfer; None where none did."""
    told = _told(case)
    if told is None:
        return None
    caller = _caller(told)
    details = _details(case, told, case.engine_id(caller.peer))
    event = told.event if details is None else details.event
    host, port = _address(case, caller) if details is None else _of(details)
    return Failure(
        caller=caller,
        told=told,
        address=f"{host}:{port}" if host else "",
        host=host,
        took=0 if details is None else details.event.took,
        error=event.error,
        why=why(event.error_type, event.error),
    )


def why(error_type: str, error: str) -> Why:
    """What vLLM's error says."""
    if error_type == "Again" or "Resource temporarily unavailable" in error:
        return Why.SILENT
    if "engine ID mismatch" in error:
        return Why.ANOTHER
    if "compatibility hash mismatch" in error or "Failed to decode Nixl" in error:
        return Why.HASH
    if error_type in _REFUSALS or (error_type == "RuntimeError" and _speaks_of_layout(error)):
        return Why.LAYOUT
    return Why.OTHER


def _told(case: Case) -> Found[FailureLogged] | Failed | None:
    logged = case.all(FailureLogged) if case.has(FailureLogged) else _logged_elsewhere(case)
    for one in logged:
        if one.event.failure in _CALLERS:
            return one
    tried = case.all(HandshakeFailed) if case.has(HandshakeFailed) else ()
    return next((one for one in tried if not _went_on(case, one)), None)


def _caller(told: Found[FailureLogged] | Failed) -> Role:
    """Who asked: an engine that is producer and consumer does not tell it by its role."""
    if isinstance(told.event, HandshakeFailed):
        return Role.PRODUCER if told.event.side == Role.PRODUCER else Role.CONSUMER
    return _CALLERS[told.event.failure]


def _logged_elsewhere(case: Case) -> tuple[Found[FailureLogged], ...]:
    """What engines that are both logged of this request: it is not known of which half."""
    found = []
    for half in (case.transfer.consumer, case.transfer.producer):
        if half is not None and _is_both(case.scene, half.engine):
            told = _logged_by(case.scene, half.engine).get(half.request)
            found += [told] if told is not None else []
    return tuple(found)


def _logged_by(scene: Scene, engine: str) -> dict[str, Found[FailureLogged]]:
    return scene.once("failures logged", engine, lambda: _by_request(scene, engine))


def may_tell_elsewhere(case: Case) -> bool:
    """Whether an engine takes part that is producer and consumer, and does not say as which."""
    halves = (case.transfer.consumer, case.transfer.producer)
    return any(half is not None and _is_both(case.scene, half.engine) for half in halves)


def _is_both(scene: Scene, engine: str) -> bool:
    return scene.once("is both", engine, lambda: _role_of(scene, engine) == "kv_both")


def _role_of(scene: Scene, engine: str) -> str:
    settings = scene.settings(engine)
    return "" if settings is None else settings.kv_role


def _by_request(scene: Scene, engine: str) -> dict[str, Found[FailureLogged]]:
    logged = scene.notices(engine, FailureLogged)
    return {one.event.request: one for one in logged if one.event.failure in _CALLERS}


def _went_on(case: Case, failed: Failed) -> bool:
    """Whether that rank got through all the same, later."""
    later = case.all(RegistrationSent, WritePosted)
    return any(one.place == failed.place and one.at > failed.at for one in later)


def _details(case: Case, told: Found[FailureLogged] | Failed, peer: str) -> Failed | None:
    if isinstance(told.event, HandshakeFailed):
        return told
    tried = (*case.all(HandshakeFailed), *case.scene.notices(told.place.engine, HandshakeFailed))
    mine = [
        one
        for one in tried
        if one.place.rank == told.place.rank
        and one.event.peer == peer
        and abs(one.at - told.at) < SECOND
    ]
    return min(mine, key=lambda one: abs(one.at - told.at), default=None)


def _address(case: Case, caller: Role) -> tuple[str, int]:
    if caller is Role.PRODUCER:
        noticed = case.first(RegistrationNoticed)
        return ("", 0) if noticed is None else (noticed.event.host, noticed.event.port)
    asked = case.first(RequestAdmitted)
    return ("", 0) if asked is None else (asked.event.host, asked.event.port)


def _of(failed: Failed) -> tuple[str, int]:
    return failed.event.host, failed.event.port


def _speaks_of_layout(error: str) -> bool:
    return any(word in error for word in _OF_LAYOUTS)


_CALLERS = {
    "push_reg_handshake_failed": Role.CONSUMER,
    "handshake_failed": Role.CONSUMER,
    "push_handshake_failed": Role.PRODUCER,
}
"""Who asked, by vLLM's names of what one request lost by a handshake."""

_REFUSALS = frozenset(("AssertionError", "NotImplementedError", "ValueError"))
"""What vLLM raises where the peer's layout does not fit."""

_OF_LAYOUTS = ("kv_cache_layout", "Heterogeneous", "heterogeneous", "heterogenuous", "DCP", "TP")
