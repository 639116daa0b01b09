"""The phases that a consumer makes: its registration, and each rank's completion."""

from collections.abc import Iterator

from kvtrace.events import (
    CompletionCounted,
    Event,
    NotificationNoticed,
    ReceiveReported,
    RegistrationQueued,
    RegistrationSendFailed,
    RegistrationSent,
    RegistrationShipped,
    RegistrationStaged,
    RequestAdmitted,
)
from kvtrace.moments import Record
from kvtrace.signals.account import Account, last
from kvtrace.signals.drafts import Draft
from kvtrace.signals.values import Value


def consumer_phases(account: Account) -> Iterator[Draft]:
    """Its registrations and completions, as far as told."""
    yield from _registrations(account)
    ranks = {record.rank for record in account.every(*_COMPLETING)}
    for rank in sorted(ranks):
        yield _completion(account, rank)


def _registrations(account: Account) -> Iterator[Draft]:
    told = account.every(*_REGISTERING)
    for ordinal in sorted({_ordinal(record.event) for record in told}):
        yield _registration(account, ordinal)


def _registration(account: Account, ordinal: int) -> Draft:
    """From the scheduler's staging until each rank has sent to each of its targets."""
    mine = [r for r in account.every(*_REGISTERING) if _ordinal(r.event) == ordinal]
    sent = [r for r in mine if isinstance(r.event, RegistrationSent | RegistrationSendFailed)]
    staged = next((r.event for r in mine if isinstance(r.event, RegistrationStaged)), None)
    failed = next((r.event for r in mine if isinstance(r.event, RegistrationSendFailed)), None)
    attributes: dict[str, Value] = {
        "kvtrace.ordinal": ordinal,
        "kvtrace.ranks": len({record.rank for record in sent}),
        "kvtrace.messages": len(sent),
    }
    if staged is not None:
        attributes |= {"kvtrace.blocks": staged.blocks, "kvtrace.tokens": staged.tokens}
        attributes["kvtrace.peer_engine"] = staged.producer
    return Draft(
        phase="registration",
        ordinal=ordinal,
        records=tuple(mine),
        start=account.wall(mine[0]),
        end=account.wall(last(sent or mine)),
        whole=_all_sent(account, mine),
        attributes=attributes,
        error=failed.error or "not sent" if failed is not None else "",
        error_type="registration.send_failed" if failed is not None else "",
    )


def _all_sent(account: Account, mine: list[Record]) -> bool:
    """Whether the scheduler's part is told, and each rank has sent to each of its targets."""
    kinds = {type(record.event) for record in mine}
    if not {RegistrationStaged, RegistrationShipped} <= kinds:
        return False
    queued = {record.rank for record in mine if isinstance(record.event, RegistrationQueued)}
    targets: dict[int, set[int]] = {}
    for record in mine:
        if isinstance(record.event, RegistrationSent | RegistrationSendFailed):
            targets.setdefault(record.rank, set()).add(record.event.peer_rank)
    ranks = queued | set(targets) | set(range(account.ranks))
    each = _targets(account)
    return bool(ranks) and all(len(targets.get(rank, ())) >= each for rank in ranks)


def _targets(account: Account) -> int:
    """How many of the producer's ranks each of ours registers with."""
    admitted = account.first(RequestAdmitted)
    if admitted is None or not account.ranks:
        return 1
    return max(1, min(admitted.tp_size, _MOST_RANKS) // account.ranks)


def _completion(account: Account, rank: int) -> Draft:
    """From a rank's first notification until it has counted them all, and said so."""
    mine = [record for record in account.every(*_COMPLETING) if record.rank == rank]
    noticed = [record for record in mine if isinstance(record.event, NotificationNoticed)]
    counted = [record for record in mine if isinstance(record.event, CompletionCounted)]
    reports = [record for record in mine if isinstance(record.event, ReceiveReported)]
    counts = [r.event for r in counted if isinstance(r.event, CompletionCounted)]
    needed = max((event.needed for event in counts), default=0)
    count = max((event.count for event in counts), default=0)
    failed = any(isinstance(r.event, ReceiveReported) and r.event.failed for r in reports)
    attributes: dict[str, Value] = {"kvtrace.count": count, "kvtrace.needed": needed}
    if noticed and counted:
        delay = account.wall(last(counted)) - account.wall(last(noticed))
        attributes["kvtrace.step_delay"] = max(0, delay)
    all_there = 0 < needed <= count and len(noticed) >= needed
    return Draft(
        phase="completion",
        rank=rank,
        records=tuple(mine),
        start=account.wall(mine[0]),
        end=account.wall(last(mine)),
        whole=bool(reports) and (failed or all_there),
        attributes=attributes,
        error="the rank reported that its share will not come" if failed else "",
        error_type="receive.failed" if failed else "",
    )


def _ordinal(event: Event) -> int:
    return int(getattr(event, "ordinal", 0))


_REGISTERING = (
    RegistrationStaged,
    RegistrationShipped,
    RegistrationQueued,
    RegistrationSent,
    RegistrationSendFailed,
)
_COMPLETING = (NotificationNoticed, CompletionCounted, ReceiveReported)

_MOST_RANKS = 1 << 14
"""A router that tells of more told nothing."""
