"""What is kept of a transfer that ended."""

from kvtrace.clocks import Clocks
from kvtrace.cuts import cuts_of
from kvtrace.ending import Ending, ending
from kvtrace.missing import consumer_name, producer_name
from kvtrace.model import Link, Outcome
from kvtrace.phases import Stretch, cut_up, spent
from kvtrace.shares import shares
from kvtrace.snapshot import Done
from kvtrace.standing import called, size
from kvtrace.steps import read
from kvtrace.transfer import Transfer


def done(transfer: Transfer, over: Ending, clocks: Clocks) -> tuple[Done, tuple[Stretch, ...]]:
    """The ended transfer with its phases, which add up to the time that it took."""
    steps = read(transfer, clocks)
    # A consumer's end is judged with each of its last words; of a producer's alone, ranks that
    # were not heard of can take it back.
    end = over if transfer.consumer is not None else ending(transfer)
    found = cuts_of(transfer, steps, clocks, end)
    ended = max(found.start, clocks.instant(over.mark))
    phases = cut_up(found, ended)
    made = Done(
        transfer=transfer,
        id=called(transfer),
        link=Link(producer_name(transfer), consumer_name(transfer)),
        outcome=over.outcome,
        ended=over.mark,
        at=ended,
        took=ended - found.start,
        size=size(transfer.producer),
        phases=tuple(spent(phases, ended).items()),
        shares=shares(transfer, steps, clocks) if over.outcome is Outcome.FINISHED else None,
    )
    return made, phases
