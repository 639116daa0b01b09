"""Rules for what an engine keeps of its peers, and for peers that speculate otherwise."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.compatibility import value
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    BlocksReady,
    HandshakeFinished,
    LoadDecided,
    PrefillAdmitted,
    RequestAdmitted,
    TablesSampled,
)
from kvtrace.model import Role
from kvtrace.wire import kind
from kvtrace.words import clean, many

MANY = 4
"""Peers that are no more, to be worth a word: one or two are left of any restart."""

TABLE = "peers"


def dead_peers_kept(case: EngineCase) -> Diagnosis | None:
    """The engine still holds what it needed to reach peers that are gone."""
    if case.engine.state != "alive":
        return None
    samples = [
        one for one in case.scene.notices(case.engine.id, TablesSampled) if TABLE in one.event.sizes
    ]
    if not samples or samples[-1].event.sizes[TABLE] < MANY:
        return None
    last = samples[-1]
    met = _met(case, last)
    gone = {name: one for name, one in met.items() if case.scene.state(name) in ("died", "ended")}
    # A peer whose handshake was not heard may live.
    kept = min(last.event.sizes[TABLE] - (len(met) - len(gone)), len(gone))
    if kept < MANY:
        return None
    now = case.scene.ttl_now(case.engine.id)
    names = ", ".join(case.scene.called(name) or clean(name) for name in list(gone)[:4])
    first = min(gone.values(), key=lambda one: one.at)
    return case.blame(
        Cause.DEAD_PEERS_KEPT,
        f"{case.called} rank {last.place.rank} keeps {last.event.sizes[TABLE]:,} peers, of which "
        f"{kept:,} are no more: {names}.",
        f"Lower `engine_ttl`{now} on {case.called}: it is looked at only when a new peer comes; "
        "restart it to have the memory back at once.",
        [
            _saw(first, "It shook hands with the first of them."),
            _saw(last, f"It still held {last.event.sizes[TABLE]:,}."),
        ],
    )


def _saw(found: Found[HandshakeFinished] | Found[TablesSampled], text: str) -> Evidence:
    return Evidence(text=text, event=kind(found.event), at=found.at, place=found.place)


def _met(case: EngineCase, sample: Found[TablesSampled]) -> dict[str, Found[HandshakeFinished]]:
    """Every peer that this rank is known to have shaken hands with."""
    shaken = case.scene.notices(case.engine.id, HandshakeFinished)
    mine = [one for one in shaken if one.place.rank == sample.place.rank]
    return {one.event.peer: one for one in mine}


def speculation_differs(case: Case) -> Diagnosis | None:
    """The engines speculate differently, and count on different numbers of tokens of one prompt."""
    decided, ready = case.last(LoadDecided), case.first(BlocksReady)
    if decided is None or ready is None:
        return None
    wanted = decided.event.tokens + decided.event.computed
    if wanted == ready.event.computed or not ready.event.computed or not _one_prompt(case):
        return None
    mine, theirs = (case.scene.settings(case.engine_id(role)) for role in Role)
    if mine is None or theirs is None:
        return None
    one, other = clean(value(mine, "speculation")), clean(value(theirs, "speculation"))
    if not one or not other or one == other:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.SPECULATION_DIFFERS,
        f"{p} and {d} speculate differently ({one}; {other}): {d} counted on "
        f"{many(wanted, 'token')}, "
        f"{p} had computed {ready.event.computed:,}.",
        f"Start {p} and {d} with the same `--speculative-config`, and leave "
        "`enforce_handshake_compat` on.",
        [
            Evidence(text=f"{p} told of speculation: {one}.", event="process.started"),
            Evidence(text=f"{d} told of speculation: {other}.", event="process.started"),
            case.saw(decided, f"{d} counted on {many(wanted, 'token')}."),
            case.saw(ready, f"{p} had computed {ready.event.computed:,}."),
        ],
    )


def _one_prompt(case: Case) -> bool:
    """Whether both sides have the same prompt, by its length."""
    begun, asked = case.first(PrefillAdmitted), case.first(RequestAdmitted)
    if begun is None or asked is None or not begun.event.tokens:
        return False
    return begun.event.tokens == asked.event.tokens
