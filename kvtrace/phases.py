"""What a transfer waited for, and when: its whole time cut into phases without gap or overlap."""

from collections.abc import Iterator

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.cuts import Cuts, cuts
from kvtrace.model import Phase
from kvtrace.transfer import Transfer


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """A time during which a transfer waited for one thing."""

    phase: Phase
    began: int
    """Nanoseconds of our clock."""

    ended: int | None
    """None while it lasts."""


def stretches(transfer: Transfer, clocks: Clocks, now: int) -> tuple[Stretch, ...]:
    """The time from the transfer's start to its end, or to `now`, cut into phases.

    Each begins where the one before ended; the last is open while the transfer is in flight.
    """
    return cut_up(cuts(transfer, clocks), now)


def cut_up(found: Cuts, now: int) -> tuple[Stretch, ...]:
    """The stretches between these cuts, as of `now`."""
    over = found.end is not None
    limit = max(found.start, now if found.end is None else found.end)
    made: list[Stretch] = []
    began = found.start
    for phase, upto in _waits(found):
        last = upto is None
        ended = limit if upto is None else max(began, min(upto, limit))
        if ended > began or (last and (not over or not made)):
            if made and made[-1].phase is phase:
                began = made.pop().began
            made.append(Stretch(phase, began, None if last and not over else ended))
        if last:
            break
        began = ended
    return tuple(made)


def spent(found: tuple[Stretch, ...], now: int) -> dict[Phase, int]:
    """Nanoseconds in each phase; an open stretch lasts until `now`."""
    total = _NOTHING.copy()
    for stretch in found:
        ended = max(now, stretch.began) if stretch.ended is None else stretch.ended
        total[stretch.phase] += ended - stretch.began
    return total


def _waits(found: Cuts) -> Iterator[tuple[Phase, int | None]]:
    """What is waited for in turn, each with when it came; None ends them."""
    yield Phase.REGISTRATION, found.registered
    yield Phase.READINESS, found.ready
    yield _late(found), found.met
    yield Phase.WRITE, found.written
    yield Phase.COMPLETION, None


def _late(found: Cuts) -> Phase:
    """What is waited for while the blocks are ready and no match is made yet."""
    if found.ready is None or found.noticed is None or found.noticed > found.ready:
        return Phase.REGISTRATION
    return Phase.READINESS


_NOTHING = dict.fromkeys(Phase, 0)
