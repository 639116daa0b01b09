"""Rules for the producer's writer thread: what it dropped, and what it did too late."""

from collections.abc import Iterable
from typing import Any

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.patience import COSTLY
from kvtrace.diagnosis.sending import rounds
from kvtrace.events import (
    BlocksQueued,
    MatchMade,
    RegistrationNoticed,
    RegistrationSent,
    StepSampled,
    WritePosted,
    WriterFailed,
)
from kvtrace.identity import base_id
from kvtrace.model import Place, Role
from kvtrace.words import clean, duration, many

SECOND = 1_000_000_000

ONE_DRAIN = SECOND
"""Nanoseconds that a message lies unread at most, where steps are not longer."""

STOOD = 2 * SECOND
"""Nanoseconds without a round after which the writer is behind."""

TAKE = "take registration"
START = "start write"


def batch_lost(case: Case) -> Diagnosis | None:
    """A registration lay in the batch in which the writer choked on another message."""
    if case.has(WriterFailed):
        return _poison(case)
    if case.over is not None and case.has(RegistrationNoticed):
        return None
    p = case.engine_id(Role.PRODUCER)
    choked = case.scene.notices(p, WriterFailed) if p else ()
    if not choked:
        return None
    noticed = case.steps.ranks("registration.noticed")
    for sent in case.all(RegistrationSent):
        rank = sent.event.peer_rank
        if rank in noticed or rank in case.steps.matched:
            continue
        for one in choked:
            if one.place.rank == rank and _in_its_batch(case, sent, one):
                return _lost(case, sent, one)
    return None


def _poison(case: Case) -> Diagnosis | None:
    """The one that the writer choked on: a registration that does not say whose it is."""
    failed = next((one for one in case.all(WriterFailed) if one.event.seam == START), None)
    if failed is None:
        return None
    mine = (one for one in case.all(MatchMade) if one.place == failed.place)
    met = next((one for one in mine if one.event.first == "blocks"), None)
    if met is None or met.event.consumer:
        return None
    where = case.place(failed.place)
    error = clean(failed.event.error) or clean(failed.event.error_type)
    return case.blame(
        Cause.BATCH_LOST,
        f"{where} choked on a registration for this request that names no consumer ({error}), and "
        "dropped all that came with it.",
        f"Find who sent that registration to {where}: let nobody but vLLM reach its side channel, "
        "and run one vLLM release on all engines.",
        [
            case.saw(met, "The blocks met a registration without a consumer."),
            case.saw(failed, f"The writer choked: {error}."),
        ],
    )


def _in_its_batch(case: Case, sent: Found[RegistrationSent], one: Found[WriterFailed]) -> bool:
    """Whether the message was there, and could not have been read before."""
    engine = case.scene.engine(one.place.engine)
    step = engine.longest_step if engine is not None else 0
    if not 0 <= one.at - sent.at <= max(ONE_DRAIN, step):
        return False
    if one.event.seam == TAKE:
        return True
    return one.event.seam == START and one.event.request != "" and _by_message(case, one)


def _by_message(case: Case, one: Found[WriterFailed]) -> bool:
    """Whether that write set out because its registration came, in the midst of the batch."""
    for other in case.scene.alike(base_id(one.event.request)):
        for told in other.producer.told.values() if other.producer is not None else ():
            if isinstance(told.event, MatchMade) and told.place.rank == one.place.rank:
                return told.event.first == "blocks"
    return False


def _lost(case: Case, sent: Found[RegistrationSent], one: Found[WriterFailed]) -> Diagnosis:
    where, d = case.place(one.place), case.called(Role.CONSUMER)
    error = clean(one.event.error_type) or "an error"
    place = Place(one.place.engine, Role.PRODUCER, sent.event.peer_rank)
    return case.blame(
        Cause.BATCH_LOST,
        f"{where} choked on another request’s registration ({error}), "
        f"{duration(one.at - sent.at)} after {d} sent this one, and dropped the rest of the batch.",
        f"Find who sent the other registration ({where}’s log, “nixl-push-writer error”): run one "
        f"vLLM release on all engines; cancel this request on {d} and send it anew.",
        [
            case.saw(sent, f"{d} sent the registration."),
            case.saw(one, f"The writer of {where} choked: {error}."),
            case.never("registration.noticed", f"{where} never came to it.", place),
        ],
    )


def writer_starved(case: Case) -> Diagnosis | None:
    """Blocks and registration were both there, and the writer did not come to them."""
    split = case.shares
    if split is None or split.handoff < COSTLY:
        return None
    for met in case.all(MatchMade):
        since, seen = _both_there(case, met)
        late = met.at - since
        if late < COSTLY or 2 * late < split.handoff or _busy(case, met.place, since, met.at):
            continue
        if late < COSTLY * (1 + _met(case, met.place, since, met.at)):
            continue
        where = case.place(met.place)
        return case.blame(
            Cause.WRITER_STARVED,
            f"{where} had blocks and registration, and its writer came to them "
            f"{duration(late)} later; it posted little meanwhile.",
            f"Give {where} a spare core ({_cores(case, met.place)}), or fewer transfers at once; "
            "upgrade NIXL, which then lets go of Python’s lock.",
            [*seen, case.saw(met, "The writer matched them.")],
        )
    return None


def writer_behind(case: Case) -> Diagnosis | None:
    """A registration waits for a writer that does not end its round, or begins none."""
    if case.over is not None:
        return None
    matched = {one.place.rank for one in case.all(MatchMade, WritePosted)}
    queued = {one.place.rank for one in case.all(BlocksQueued)}
    for sent in case.all(RegistrationSent):
        rank = sent.event.peer_rank
        came = [one for one in case.all(RegistrationNoticed) if one.place.rank == rank]
        if rank in matched or (came and rank not in queued):
            continue
        halt = _in_one_round(case, sent, came) or _out_of_rounds(case, rank, [sent, *came])
        if halt is None:
            continue
        place = Place(case.engine_id(Role.PRODUCER), Role.PRODUCER, rank)
        where = case.place(place)
        return case.blame(
            Cause.WRITER_STARVED,
            f"{where} makes steps, and its writer {halt.how}; the registration waits for it.",
            f"Give {where} a spare core ({_cores(case, place)}), or fewer transfers at once; "
            f"restart {where} if its writer stays away.",
            [case.saw(sent, f"It was sent to {where}."), *halt.seen],
        )
    return None


class Halt(msgspec.Struct, frozen=True):
    """That a writer came to nothing new for seconds."""

    how: str
    """What it did instead, as a predicate."""

    seen: list[Evidence]


def _in_one_round(
    case: Case, sent: Found[RegistrationSent], came: list[Found[RegistrationNoticed]]
) -> Halt | None:
    """The rank's writer is in a round in which it comes to others first."""
    rank = sent.event.peer_rank
    lasts = next(reversed(rounds(case, rank)), None)
    if lasts is None or lasts.last.at < sent.at or lasts.last.at - lasts.first.at < STOOD:
        return None
    if any(one.event.gap != lasts.last.event.gap for one in came):
        return None
    if any(one.event.loops for one in _samples_after(case, rank, lasts.last.at)):
        return None
    told = f"In one round the writer came to {many(lasts.count, 'registration')} by now."
    seen = [case.saw(lasts.first, "It began a round."), case.saw(lasts.last, told)]
    return Halt(_took_in_nothing(case, lasts.first.at), seen)


def _out_of_rounds(case: Case, rank: int, told: list[Found[Any]]) -> Halt | None:
    """No round began since the last of these, or rounds come seconds apart; the rank's samples,
    which count steps, show it."""
    after = _samples_after(case, rank, max(one.at for one in told))
    every = case.scene.samples(case.engine_id(Role.PRODUCER), rank)
    # Who never counted a round does not count them.
    if not after or not any(one.event.loops for one in every):
        return None
    first, last = after[0], after[-1]
    # A round that lasts is counted where it began.
    began = first.at if first.event.loops else first.at - first.event.window
    none = first.event.loops <= 1 and not any(one.event.loops for one in after[1:])
    if none and last.at - began >= STOOD:
        seen = case.saw(last, "The writer went no round in that time.")
        return Halt(_took_in_nothing(case, began), [seen])
    began, looked = first.at - first.event.window, sum(one.event.loops for one in after)
    if last.at - began < STOOD * (1 + looked):
        return None
    times = f"The writer looked {many(looked, 'time')} in {duration(last.at - began)}."
    how = f"took in messages hardly ever in {duration(case.now - began)}"
    return Halt(how, [case.saw(last, times)])


def _samples_after(case: Case, rank: int, at: int) -> list[Found[StepSampled]]:
    """Those of the producer's rank whose window began later."""
    told = case.scene.samples(case.engine_id(Role.PRODUCER), rank)
    return [one for one in told if one.at - one.event.window > at]


def _took_in_nothing(case: Case, since: int) -> str:
    return f"has taken in no messages for {duration(case.now - since)} at least"


def _both_there(case: Case, met: Found[MatchMade]) -> tuple[int, list[Evidence]]:
    """Since when the writer had all it needed, and what shows it; its own match if unknown."""
    queued = next((o for o in case.all(BlocksQueued) if o.place == met.place), None)
    came = next((o for o in case.all(RegistrationNoticed) if o.place == met.place), None)
    if queued is None or came is None:
        return met.at, []
    if came.at <= queued.at:
        shown = [
            case.saw(came, "The registration was there."),
            case.saw(queued, "So were the blocks."),
        ]
        return queued.at, shown
    # With blocks that wait, the writer looks for messages every millisecond.
    sent = next(
        (o for o in case.all(RegistrationSent) if o.event.peer_rank == met.place.rank), None
    )
    if sent is None or case.shares is None or case.shares.error != 0:
        return met.at, []
    since = max(queued.at, sent.at, came.at - came.event.gap)
    return since, [case.saw(queued, "The blocks were there."), case.saw(sent, "It was sent.")]


def _met(case: Case, place: Place, since: int, until: int) -> int:
    """How many others the writer came to in that time: a queue that moves."""
    clocks = case.scene.clocks
    others = case.scene.known_on(place.engine, Role.PRODUCER)
    told = (one for t in others if t.producer is not None for one in t.producer.told.values())
    met = (one for one in told if isinstance(one.event, MatchMade) and one.place.rank == place.rank)
    return sum(since < clocks.instant(one.mark) < until for one in met)


def _busy(case: Case, place: Place, since: int, until: int) -> bool:
    """Whether the writer posted other writes for half of that time."""
    scene = case.scene
    every = scene.known_on(place.engine, Role.PRODUCER)
    posts = 0
    for other in every:
        for told in other.producer.told.values() if other.producer is not None else ():
            if isinstance(told.event, WritePosted) and told.place.rank == place.rank:
                at = scene.clocks.instant(told.mark)
                posts += told.event.prepare + told.event.post if since < at <= until else 0
    return 2 * posts >= until - since


def _cores(case: Case, place: Place) -> str:
    engine = case.scene.engine(place.engine)
    ranks: Iterable[str] = (
        origin.started.facts.get("cpus", "")
        for origin in (engine.origins if engine is not None else ())
        if origin.rank == place.rank and origin.started is not None
    )
    found = next(iter(ranks), "")
    return f"now CPU {found}" if found else "`VLLM_CPU_OMP_THREADS_BIND` on CPU"
