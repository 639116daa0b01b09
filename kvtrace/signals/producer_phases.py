"""The phases that a producer's ranks make: each one's readiness, and each one's writes."""

from collections.abc import Iterator

from kvtrace.events import (
    BlocksQueued,
    Event,
    MatchMade,
    MatchMissed,
    RegistrationNoticed,
    WriteFailed,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.moments import Record
from kvtrace.signals.account import Account, last
from kvtrace.signals.drafts import Draft
from kvtrace.signals.values import Value


def producer_phases(account: Account) -> Iterator[Draft]:
    """Its ranks' readiness and writes, as far as told."""
    for rank in sorted({r.rank for r in account.every(BlocksQueued, MatchMade)}):
        yield _readiness(account, rank)
    writes = {_pair(record) for record in account.every(*_WRITING)}
    for pair in sorted(writes):
        yield _write(account, pair)


def _readiness(account: Account, rank: int) -> Draft:
    """From the first of blocks and registration until both have met on the rank."""
    match = _match(account, rank)
    upto = match.at if match is not None else _ENDLESS
    mine = [r for r in account.every(*_MEETING) if r.rank == rank and r.at <= upto]
    kinds = {type(record.event) for record in mine}
    whole = {BlocksQueued, RegistrationNoticed, MatchMade} <= kinds
    start, attributes = account.wall(mine[0]), {}
    if match is not None and isinstance(match.event, MatchMade):
        start = account.wall(match, match.event.waited)
        attributes = _matched(match.event)
    elif kinds & {BlocksQueued}:
        attributes = {"kvtrace.waited_for": "registration"}
    return Draft(
        phase="readiness",
        rank=rank,
        records=tuple(mine),
        start=start,
        end=account.wall(match or last(mine)),
        whole=whole,
        attributes=attributes,
    )


def _matched(event: MatchMade) -> dict[str, Value]:
    late = {"blocks": "registration", "registration": "blocks"}.get(event.first, "")
    return {
        "kvtrace.waited_for": late,
        "kvtrace.waited": event.waited,
        "kvtrace.exact": event.exact,
        "kvtrace.candidates": event.candidates,
        "kvtrace.peer_engine": event.consumer,
    }


def _write(account: Account, pair: tuple[int, int, int]) -> Draft:
    """From the match until the write of one rank to one peer rank was seen to have landed."""
    rank, peer, ordinal = pair
    mine = [record for record in account.every(*_WRITING) if _pair(record) == pair]
    match = _match(account, rank)
    posted = next((r for r in mine if isinstance(r.event, WritePosted)), None)
    over = [r for r in mine if isinstance(r.event, WriteFinished | WriteFailed)]
    failed = next((r.event for r in over if isinstance(r.event, WriteFailed)), None)
    started = _set_out(account, rank, posted or mine[0])
    attributes = _measured(mine)
    if match is not None and started is not None and isinstance(started.event, WriteStarted):
        took = account.wall(started, started.event.took) - account.wall(match)
        attributes["kvtrace.queued"] = max(0, took)
    told = match is not None and started is not None and bool(over)
    return Draft(
        phase="write",
        rank=rank,
        peer_rank=peer,
        ordinal=ordinal,
        records=tuple(mine),
        start=account.wall(match or mine[0]),
        end=account.wall(last(mine)),
        whole=told and (posted is not None or failed is not None),
        attributes=attributes,
        error=failed.error or "the write failed" if failed is not None else "",
        error_type=f"write.failed.{failed.stage}".rstrip(".") if failed is not None else "",
    )


def _measured(mine: list[Record]) -> dict[str, Value]:
    """What the write's own events say of it."""
    found: dict[str, Value] = {}
    for record in mine:
        match record.event:
            case WritePosted() as posted:
                found |= {
                    "kvtrace.descriptors": posted.descriptors,
                    "kvtrace.blocks": posted.blocks,
                    "kvtrace.prepare": posted.prepare,
                    "kvtrace.post": posted.post,
                    "kvtrace.peer_engine": posted.consumer,
                }
            case WriteFinished() as finished:
                found |= {"kvtrace.size": finished.size, "kvtrace.transfer": finished.transfer}
            case WriteFailed(stage=stage):
                found["kvtrace.stage"] = stage
            case _:
                pass
    return found


def _match(account: Account, rank: int) -> Record | None:
    return next((r for r in account.every(MatchMade) if r.rank == rank), None)


def _set_out(account: Account, rank: int, posted: Record) -> Record | None:
    """What the rank told of the attempt that this write was posted in."""
    told = (r for r in account.every(WriteStarted) if r.rank == rank)
    return next((r for r in told if r.at >= posted.at and _made(r.event)), None)


def _made(event: Event) -> bool:
    return isinstance(event, WriteStarted) and event.outcome != "deferred"


def _pair(record: Record) -> tuple[int, int, int]:
    event = record.event
    return record.rank, int(getattr(event, "peer_rank", -1)), int(getattr(event, "ordinal", 0))


_MEETING = (BlocksQueued, RegistrationNoticed, MatchMissed, MatchMade)
_WRITING = (WritePosted, WriteFinished, WriteFailed)

_ENDLESS = 1 << 64
