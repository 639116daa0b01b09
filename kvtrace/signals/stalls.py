"""Spans of phases that outlive their patience, which end at once so that they are seen now."""

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.patience import PATIENCE, patience
from kvtrace.engines import Engines
from kvtrace.events import ProcessStarted
from kvtrace.missing import Missing, consumer_name, missing, producer_name
from kvtrace.model import Phase, Role
from kvtrace.phases import stretches
from kvtrace.signals.account import Account
from kvtrace.signals.drafts import Draft
from kvtrace.signals.values import Value
from kvtrace.transfer import Transfer

MOST = 40
"""Doublings that are told of: five seconds become a hundred thousand years."""


class Now(msgspec.Struct, frozen=True):
    """What time it is here."""

    at: int
    """Nanoseconds of our monotonic clock."""

    wall: int
    """Nanoseconds since the epoch."""

    clock: str
    """The boot id that `at` belongs to."""


class Wait(msgspec.Struct, frozen=True):
    """What a half waits for, as far as it can tell by itself."""

    phase: Phase
    began: int
    """Nanoseconds of our clock."""

    patience: int
    due: Missing | None
    """The step that has to come next."""

    def number(self, now: int) -> int:
        """How often the patience was doubled and outlived all the same; -1 before the first."""
        age = now - self.began
        return -1 if age < self.patience else min((age // self.patience).bit_length() - 1, MOST)

    def after(self, number: int) -> int:
        """When the patience will have been outlived that many doublings on."""
        return self.began + (self.patience << number)


def shortest(settings: ProcessStarted) -> int:
    """The shortest patience that a phase can have with these settings of an engine."""
    limits = (settings.lease, settings.registration_timeout)
    return min((limit for limit in limits if limit > 0), default=min(PATIENCE.values()))


def wait_of(account: Account, engines: Engines, clocks: Clocks, now: int) -> Wait | None:
    """What the half waits for; None where it waits for nothing that can be named."""
    mine = account.role is Role.PRODUCER
    half = account.half
    alone = Transfer(id="", producer=half if mine else None, consumer=None if mine else half)
    found = stretches(alone, clocks, now)
    if not found or found[-1].ended is not None:
        return None
    ends = engines.get(producer_name(alone)), engines.get(consumer_name(alone))
    phase = found[-1].phase
    allowed = max(1, patience(phase, *ends))
    return Wait(phase, found[-1].began, allowed, next(iter(missing(alone, clocks)), None))


def stall(account: Account, wait: Wait, number: int, now: Now) -> Draft:
    """The span that tells of this wait; it carries everything the half has told so far."""
    records = tuple(record for record, _ in account.records)
    age = now.at - wait.began
    start = account.wall_at(wait.began, now.clock) or now.wall - age
    attributes: dict[str, Value] = {
        "kvtrace.engine": account.engine,
        "kvtrace.phase": wait.phase.value,
        "kvtrace.age": age,
        "kvtrace.patience": wait.patience,
        "kvtrace.n": number,
    }
    if wait.due is not None:
        attributes["kvtrace.waits_for.event"] = wait.due.name
        place = wait.due.place
        if place is not None:
            attributes["kvtrace.waits_for.engine"] = place.engine
            attributes["kvtrace.waits_for.role"] = place.role.value
            attributes["kvtrace.waits_for.rank"] = place.rank
    return Draft(
        phase=f"stall.{wait.phase.value}",
        ordinal=number,
        records=records,
        start=start,
        end=start + (wait.patience << number),
        whole=True,
        attributes=attributes,
    )
