"""One row for each transfer in flight, the worst first."""

from collections.abc import Iterable

from kvtrace.snapshot import Row
from kvtrace.standing import Standing
from kvtrace.transfer import Transfer


def row(
    transfer: Transfer, standing: Standing, patience: int, now: int, *, gone: bool = False
) -> Row:
    """The transfer's row, as of `now`."""
    present = standing.phases[-1]
    waited = max(0, now - present.began)
    return Row(
        transfer=transfer,
        id=standing.id,
        phase=present.phase,
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


def worst_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Stalled before others, and within each the longest wait first."""
    return tuple(sorted(rows, key=lambda row: (not row.stalled, -row.waited, row.transfer.id)))
