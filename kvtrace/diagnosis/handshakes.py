"""Rules for a handshake that failed, so that one side cannot reach the other."""

import re
from collections.abc import Iterator

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.compatibility import engines_not_compatible, layouts_differ
from kvtrace.diagnosis.exchange import Failure, Why, failure, may_tell_elsewhere
from kvtrace.diagnosis.listener import listener_died
from kvtrace.events import FailureLogged, HandshakeFailed, HandshakeFinished, ProcessStarted
from kvtrace.model import Role
from kvtrace.words import clean, duration

HOMES = ("localhost", "127.", "::1")
"""How addresses begin that lead nowhere but to the host itself."""


def handshake_failed(case: Case) -> Diagnosis | None:
    """The exchange between the two failed, and its error says why."""
    if not case.has(FailureLogged, HandshakeFailed) and not may_tell_elsewhere(case):
        return None
    failed = failure(case)
    if failed is None:
        return None
    match failed.why:
        case Why.SILENT:
            return _silent(case, failed)
        case Why.ANOTHER:
            return _another_answered(case, failed)
        case Why.HASH:
            return engines_not_compatible(case, failed)
        case Why.LAYOUT:
            return layouts_differ(case, failed)
        case Why.OTHER:
            return _refused(case, failed)


def consumer_could_not_ask(case: Case) -> Diagnosis | None:
    """The consumer's half is apart, since it named another producer, and could not reach that."""
    half = case.transfer.producer
    if half is None or case.transfer.consumer is not None or case.transfer.rivals:
        return None
    for other in case.scene.alike(half.base):
        if other.consumer is not None and other.producer is None:
            found = handshake_failed(Case(other, case.trouble, case.scene))
            if found is not None:
                return msgspec.structs.replace(found, transfer=case.transfer.id)
    return None


def _silent(case: Case, failed: Failure) -> Diagnosis | None:
    if _is_gone(case, case.engine_id(failed.caller.peer)):
        return None
    return listener_died(case, failed) or _frozen(case, failed) or _unreachable(case, failed)


def _unreachable(case: Case, failed: Failure) -> Diagnosis:
    where, peer = case.place(failed.told.place), case.called(failed.caller.peer)
    address = failed.address or f"{peer}’s side channel"
    took = f" in {duration(failed.took)}" if failed.took else ""
    known = case.scene.settings(case.engine_id(failed.caller.peer))
    theirs = _listens(known)
    told = f" {peer} listens on {theirs}." if theirs and theirs != failed.address else ""
    if not told and failed.host.startswith(HOMES) and not _share_a_host(case):
        told = f" That address leads to {case.called(failed.caller)}’s own host."
    backwards = failed.caller is Role.PRODUCER
    cause = Cause.PRODUCER_CANNOT_REACH_CONSUMER if backwards else Cause.SIDE_CHANNEL_UNREACHABLE
    waits = f" {peer} was not told, and waits." if backwards and not told else ""
    return case.blame(
        cause,
        f"{where} had no answer from {address}{took}.{told or waits}",
        _open_it(case, failed, theirs),
        [case.saw(failed.told, f"No answer came from {address}."), *_answered_before(case, failed)],
        doubt=_it_answered(case, failed, known),
    )


def _open_it(case: Case, failed: Failure, theirs: str) -> str:
    caller, peer = case.called(failed.caller), case.called(failed.caller.peer)
    if theirs and failed.address and theirs != failed.address:
        if failed.caller is Role.CONSUMER:
            return (
                f"Let the router tell {caller} where {peer} listens ({theirs}), not "
                f"{failed.address}: `remote_host`, `remote_port`."
            )
        return f"Find what changes {peer}’s address ({theirs}) on its way to {caller}."
    if failed.caller is Role.CONSUMER and _is_a_stranger(case):
        return (
            f"Check whom the router named to {caller}: no engine with the id “{peer}” is heard, "
            f"and none answers at {failed.address or 'its address'}."
        )
    host = failed.host or "not known"
    return (
        f"Set `VLLM_NIXL_SIDE_CHANNEL_HOST` (now {host}) on {peer} to an address that {caller} "
        "reaches, and open its port (`VLLM_NIXL_SIDE_CHANNEL_PORT` plus the data-parallel rank)."
    )


def _is_a_stranger(case: Case) -> bool:
    """Whether producers are heard, and this one is not among them."""
    heard = case.scene.in_role(Role.PRODUCER)
    return bool(heard) and case.engine_id(Role.PRODUCER) not in heard


def _listens(known: ProcessStarted | None) -> str:
    return f"{known.host}:{known.port}" if known is not None and known.host and known.port else ""


def _share_a_host(case: Case) -> bool:
    """Whether both are known to run on one host."""
    engines = [case.scene.engine(case.engine_id(role)) for role in Role]
    return len({one.newest.clock if one is not None else "" for one in engines}) == 1


def _answered_before(case: Case, failed: Failure) -> Iterator[Evidence]:
    done = case.scene.notices(failed.told.place.engine, HandshakeFinished)
    same = [one for one in done if f"{one.event.host}:{one.event.port}" == failed.address]
    if same:
        yield case.saw(same[-1], "The same address had answered before.")


def _it_answered(case: Case, failed: Failure, known: ProcessStarted | None) -> str:
    """What else it could be: where it answered before, its listener may be what is gone."""
    if known is None and any(_answered_before(case, failed)):
        return f"nothing is heard of {case.called(failed.caller.peer)}, which had answered before"
    return ""


def _frozen(case: Case, failed: Failure) -> Diagnosis | None:
    """Who does not run does not answer."""
    peer = failed.caller.peer
    name = case.engine_id(peer)
    engine = case.scene.engine(name) if case.scene.state(name) == "frozen" else None
    if engine is None:
        return None
    stuck = next(one for one in engine.origins if one.frozen and not one.gone)
    return case.blame(
        Cause.ENGINE_FROZEN,
        f"{case.place(failed.told.place)} had no answer from {failed.address}: {case.called(peer)} "
        "is there and does not run.",
        f"Send SIGCONT to the processes of {case.called(peer)}, or end it.",
        [
            case.saw(failed.told, "No answer came."),
            Evidence(text=f"{case.called(peer)} was stopped when looked at.", at=stuck.watched),
        ],
    )


def _refused(case: Case, failed: Failure) -> Diagnosis | None:
    """The other side answered, and could still not be reached."""
    if failed.caller is Role.CONSUMER:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    error = clean(failed.error) or "an error"
    return case.blame(
        Cause.PRODUCER_CANNOT_REACH_CONSUMER,
        f"{case.place(failed.told.place)} could not connect to {d}: {error}; {d} was not told, "
        "and waits.",
        f"Look for that error in the logs of {p} and {d}; check that both have the same UCX "
        f"transports (`UCX_TLS`, `UCX_NET_DEVICES`); let the router cancel the request on {d}.",
        [case.saw(failed.told, f"The handshake ended with {error}.")],
    )


def _another_answered(case: Case, failed: Failure) -> Diagnosis | None:
    """The address is another engine's."""
    found = _NAMED.search(failed.error)
    if found is None:
        return None
    wanted, got = found["wanted"], found["got"].rstrip(".")
    address = failed.address or "The address"
    return case.blame(
        Cause.WRONG_ENGINE_ANSWERED,
        f"{address} answered as {_name(case, got)}, {_name(case, wanted)} was expected; "
        f"{case.place(failed.told.place)} had asked.",
        _set_right(case, failed, wanted, got),
        [
            case.saw(failed.told, f"{clean(got)} answered instead of {clean(wanted)}."),
            *_about(case, wanted, got, failed),
        ],
    )


def _set_right(case: Case, failed: Failure, wanted: str, got: str) -> str:
    caller, peer = failed.caller, case.called(failed.caller.peer)
    if got == case.engine_id(caller):
        return (
            f"Set `VLLM_NIXL_SIDE_CHANNEL_HOST` on {peer}: {failed.host or 'its address'} leads "
            f"{case.called(caller)} to itself; the default is localhost."
        )
    if _RANK.sub("", got) == _RANK.sub("", wanted):
        return (
            "In the router take port and engine id from one data-parallel rank: the base port "
            "plus the rank, and `_dp<rank>` at the engine’s id."
        )
    if _is_gone(case, wanted):
        return (
            f"Let the router learn anew which engine is at {failed.address or 'that address'}: "
            f"{_name(case, wanted)} is no more."
        )
    theirs = _listens(case.scene.settings(wanted))
    at = f" ({_name(case, wanted)} listens on {theirs})" if theirs else ""
    return f"Let the router take engine id, host and port from one and the same engine{at}."


def _about(case: Case, wanted: str, got: str, failed: Failure) -> Iterator[Evidence]:
    """What else is known of the two."""
    if got == case.engine_id(failed.caller):
        yield Evidence(text="It is the very engine that asked.", event="process.started")
        return
    theirs = _listens(case.scene.settings(got))
    if theirs and theirs == failed.address:
        yield Evidence(text=f"{_name(case, got)} listens on {theirs}.", event="process.started")
    if _is_gone(case, wanted):
        yield Evidence(text=f"{_name(case, wanted)} is no more.", event="process.stopped")


def _is_gone(case: Case, engine: str) -> bool:
    return case.scene.state(engine) in ("died", "ended")


def _name(case: Case, engine: str) -> str:
    return case.scene.called(engine) or clean(engine)


_NAMED = re.compile(r"Expected\s+(?P<wanted>\S+?),\s*received\s+(?P<got>\S+)")
"""vLLM's words for it."""

_RANK = re.compile(r"_dp\d+\Z")
"""What vLLM adds to the id of an engine for each of its data-parallel ranks."""
