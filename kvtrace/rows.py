"""One row for each transfer in flight, the worst first."""

from collections.abc import Iterable

from kvtrace.identity import base_id
from kvtrace.model import Place, Role
from kvtrace.snapshot import Row
from kvtrace.standing import Standing
from kvtrace.transfer import Transfer


def row(
    transfer: Transfer, standing: Standing, patience: int, now: int, *, gone: bool = False
) -> Row:
    """The transfer's row, as of `now`."""
    waited = max(0, now - standing.since)
    return Row(
        transfer=transfer,
        id=called(transfer),
        phase=standing.phase,
        waited=waited,
        age=max(waited, now - standing.start),
        stalled=waited >= patience,
        patience=patience,
        waits_for=standing.waits_for,
        link=standing.link,
        ranks=standing.ranks,
        size=standing.size,
        ambiguous=bool(transfer.rivals),
        gone=gone,
    )


def awaited(transfer: Transfer, place: Place | None) -> frozenset[str]:
    """The processes that spoke for the transfer from the place that must act next.

    Where none spoke from there, those that spoke for that half at all.
    """
    if place is None:
        return frozenset()
    half = transfer.producer if place.role is Role.PRODUCER else transfer.consumer
    told = half.told.values() if half is not None else ()
    there = frozenset(one.process for one in told if one.place.rank == place.rank)
    return there or frozenset(one.process for one in told)


def called(transfer: Transfer) -> str:
    """What screens call it: its base id, or the local one where others share that."""
    half = transfer.consumer or transfer.producer
    if half is None:
        return transfer.id
    return half.request if transfer.rivals or transfer.id != half.base else base_id(half.request)


def worst_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Stalled before others, and within each the longest wait first."""
    return tuple(sorted(rows, key=lambda row: (not row.stalled, -row.waited, row.transfer.id)))
