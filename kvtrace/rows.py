"""One row for each transfer in flight, the worst first."""

from collections.abc import Iterable

from kvtrace.identity import base_id
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


def called(transfer: Transfer) -> str:
    """What screens call it: its base id, or the local one where others share that."""
    half = transfer.consumer or transfer.producer
    if half is None:
        return transfer.id
    return half.request if transfer.rivals or transfer.id != half.base else base_id(half.request)


def worst_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Stalled before others, and within each the longest wait first."""
    return tuple(sorted(rows, key=lambda row: (not row.stalled, -row.waited, row.transfer.id)))
