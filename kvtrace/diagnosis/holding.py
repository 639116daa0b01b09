"""Rules for blocks that are held for nobody, or that nobody can get any more."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.first_handshake import under_way
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    BlocksReady,
    BlocksReleased,
    LeaseExpired,
    LoadDecided,
    MatchMade,
    ReceiveFailed,
    ReceiveFinished,
    RegistrationExpired,
    RegistrationNoticed,
    RegistrationSent,
    RegistrationSkipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestFinished,
    RequestResumed,
    SendReported,
    WritePosted,
)
from kvtrace.identity import routers_ids, siblings
from kvtrace.model import Role
from kvtrace.transfer import Transfer
from kvtrace.words import clean, many, setting


def aborted_blocks_held(case: Case) -> Diagnosis | None:
    """The consumer's request is over, and its blocks wait for a write that does not come."""
    if case.over is not None:
        return None
    ended = case.first(RequestFinished)
    if ended is None or not ended.event.parked or case.has(ReceiveFinished, ReceiveFailed):
        return None
    staged = case.first(RegistrationStaged)
    held = many(staged.event.blocks, "block") if staged is not None else "blocks"
    d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
    return case.blame(
        Cause.ABORTED_BLOCKS_HELD,
        f"{d}’s request ended {case.ago(ended)} ago as {clean(ended.event.status)} while it "
        f"waited; {d} holds {held} for a write of {p} that does not come.",
        f"Find out why {p} did not write, since each such request costs {d} its blocks; restart "
        f"{d} to get them back.",
        [
            case.saw(ended, "The request ended while it was parked."),
            case.never("receive.finished", f"{d} received nothing that would free them."),
        ],
    )


def rejected_before_asking(case: Case) -> Diagnosis | None:
    """The consumer gave the request up before it asked, and the producer holds its blocks."""
    ready = case.first(BlocksReady)
    if ready is None or not ready.event.held:
        return None
    if case.has(RegistrationStaged, RegistrationSkipped, RegistrationSent, RegistrationNoticed):
        return None
    if case.has(MatchMade, SendReported, BlocksReleased) and not case.has(LeaseExpired):
        return None
    ended = case.first(RequestFinished)
    if ended is None and case.transfer.consumer is None:
        ended = _given_up(case)
    if ended is None:
        return None
    d, p = case.scene.called(ended.place.engine), case.called(Role.PRODUCER)
    return case.blame(
        Cause.REJECTED_BEFORE_ASKING,
        f"{d} ended the request as {clean(ended.event.status)} before it asked for the blocks; "
        f"{p} holds {ready.event.blocks:,} until their lease runs out.",
        f"Lower `kv_lease_duration`{case.lease_now} on {p} if many such requests fill it; let the "
        f"router send legs only for requests that {d} accepts.",
        [
            case.saw(ended, f"{d}’s request ended."),
            case.saw(ready, f"The blocks became ready on {p}."),
            case.never("registration.staged", f"{d} never asked for them."),
        ],
    )


def _given_up(case: Case) -> Found[RequestFinished] | None:
    """The end of the stand-in that vLLM's front end sends for a request that it refuses.

    It names the producer's request, and has an id of its own.
    """
    half = case.transfer.producer
    stand_ins = case.scene.once("given up", "", lambda: _stand_ins(case.scene))
    if half is None or not stand_ins:
        return None
    names = (half.request, *routers_ids(half.request))
    return next((stand_ins[name] for name in names if name in stand_ins), None)


def _stand_ins(scene: Scene) -> dict[str, Found[RequestFinished]]:
    """Requests that were given up before they asked, by the producer's id as they were told it."""
    found = scene.stand_ins
    for transfer in scene.lately_ended():
        half = transfer.consumer if transfer.producer is None else None
        told = {type(one.event): one for one in half.told.values()} if half is not None else {}
        asked, ended = told.get(RequestAdmitted), told.get(RequestFinished)
        if asked is not None and ended is not None and RegistrationStaged not in told:
            named = str(getattr(asked.event, "remote_request", ""))
            found[named] = Found.of(ended, scene.clocks)
    return found


def siblings_never_fetched(case: Case) -> Diagnosis | None:
    """The producer computed several answers' blocks for one call, and only one was fetched."""
    half, ready = case.transfer.producer, case.first(BlocksReady)
    if half is None or ready is None or not ready.event.held:
        return None
    if case.transfer.consumer is not None or case.has(RegistrationNoticed, MatchMade):
        return None
    for base in siblings(half.base):
        for other in case.scene.alike(base):
            if other.producer is not None and other.producer.engine != half.engine:
                continue
            if _was_fetched(other):
                return _sibling(case, other, ready.event.blocks)
    return None


def _was_fetched(transfer: Transfer) -> bool:
    halves = (transfer.producer, transfer.consumer)
    told = (one.event for half in halves if half is not None for one in half.told.values())
    return any(isinstance(one, RegistrationSent | RegistrationNoticed) for one in told)


def _sibling(case: Case, other: Transfer, blocks: int) -> Diagnosis:
    mine, theirs = case.transfer.producer, other.consumer or other.producer
    assert mine is not None
    assert theirs is not None
    p = case.called(Role.PRODUCER)
    ready = case.first(BlocksReady)
    assert ready is not None
    return case.blame(
        Cause.SIBLINGS_NEVER_FETCHED,
        f"{p} holds {many(blocks, 'block')} of {clean(mine.base)}; of that call only "
        f"{clean(theirs.base)} was asked for.",
        f"Let the router take calls with `n` above 1, or with several prompts, apart; on {p}’s "
        "leg `n` is 1.",
        [
            case.saw(ready, "The blocks became ready."),
            case.never("registration.noticed", "No registration came for this one."),
        ],
    )


def consumer_has_no_blocks(case: Case) -> Diagnosis | None:
    """The consumer came to the request and found no room: waiting transfers hold its blocks."""
    decided = case.first(LoadDecided)
    if decided is None or case.over is not None or case.has(*_WENT_ON):
        return None
    return _no_room_for(case, decided, "this one")


def parked_hold_all_blocks(case: Case) -> Diagnosis | None:
    """The same of it, or of one before it in the queue, where the waiting alone fill the consumer:
    a lease that ran out came of that."""
    found = consumer_has_no_blocks(case) or _behind_one_without_room(case)
    return found if found is not None and not found.doubt else None


def _behind_one_without_room(case: Case) -> Diagnosis | None:
    asked = case.first(RequestAdmitted)
    if asked is None or case.over is not None or case.has(LoadDecided, *_WENT_ON):
        return None
    name = case.engine_id(Role.CONSUMER)
    first = case.scene.once("stuck", name, lambda: _first_stuck(case.scene, name))
    if first is None or first.at > asked.at:
        return None
    return _no_room_for(case, first, f"{clean(first.event.request)}, behind which it queues,")


def _first_stuck(scene: Scene, engine: str) -> Found[LoadDecided] | None:
    """What this consumer decided first of those that it has not allocated blocks for since."""
    stuck = []
    for transfer in scene.on(engine, Role.CONSUMER):
        half = transfer.consumer
        told = [Found.of(one, scene.clocks) for one in half.told.values()] if half else []
        if not any(isinstance(one.event, _WENT_ON) for one in told):
            stuck += [one for one in told if isinstance(one.event, LoadDecided)]
    return min(stuck, key=lambda one: one.at, default=None)


def _no_room_for(case: Case, decided: Found[LoadDecided], whose: str) -> Diagnosis | None:
    name = case.engine_id(Role.CONSUMER)
    settings = case.scene.settings(name)
    if settings is None or not settings.blocks or not settings.block_size:
        return None
    count, held = case.scene.once("parked", name, lambda: _parked(case, name))
    needed = -(-(decided.event.tokens + decided.event.computed) // settings.block_size)
    if not decided.event.tokens or not count or held + needed <= settings.blocks // 2:
        return None
    # One block is vLLM's own, and never anybody's.
    enough = held + needed >= settings.blocks
    d = case.called(Role.CONSUMER)
    return case.blame(
        Cause.CONSUMER_HAS_NO_BLOCKS,
        f"{many(count, 'waiting transfer holds', 'waiting transfers hold')} {held:,} of the "
        f"{many(settings.blocks, 'block')} of {d}; {whose} needs {needed:,}.",
        f"Find out what the others wait for; lower `max_num_seqs` on {d}, or give it more blocks "
        "(`gpu_memory_utilization`).",
        [
            case.saw(decided, f"{d} came to {clean(decided.event.request)}, and found no room."),
            Evidence(text=f"Transfers that wait hold {many(held, 'block')}.", at=case.now),
            case.never("registration.staged", f"{d} never allocated its blocks."),
        ],
        doubt="" if enough else f"what the running requests of {d} hold is not told",
    )


def _parked(case: Case, engine: str) -> tuple[int, int]:
    """How many transfers wait on this consumer with blocks allocated, and how many blocks."""
    held = []
    for transfer in case.scene.on(engine, Role.CONSUMER):
        told = [one.event for one in transfer.consumer.told.values()] if transfer.consumer else []
        if not any(isinstance(one, RequestResumed) for one in told):
            held += [one.blocks for one in told if isinstance(one, RegistrationStaged)]
    return len(held), sum(held)


def watchdog_only_logs(case: Case) -> Diagnosis | None:
    """The consumer's watchdog dropped the registration; the request goes on waiting."""
    expired = case.first(RegistrationExpired) if case.over is None else None
    if expired is None or case.has(ReceiveFinished, ReceiveFailed, WritePosted):
        return None
    if under_way(case) is not None:
        return None
    d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
    return case.blame(
        Cause.WATCHDOG_ONLY_LOGS,
        f"{d}’s watchdog gave up after {setting(expired.event.timeout)} and only logged it; the "
        f"request has waited for {p} since.",
        f"Cancel the request on {d} by a deadline in the router: `push_registration_timeout` (now "
        f"{setting(expired.event.timeout)}) ends no request.",
        [
            case.saw(expired, "The watchdog dropped the registration."),
            case.never("receive.finished", f"{d} received nothing since."),
        ],
    )


_WENT_ON = (RegistrationStaged, RegistrationSkipped, RequestFinished, RequestResumed)
"""What tells that the consumer found room for a request, or gave it up."""
