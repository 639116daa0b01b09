"""Everything a front end needs for one frame, so that none of them computes."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.clocks import Clocks
from kvtrace.diagnosed import CauseLine, Diagnosis
from kvtrace.model import Link, Mark, Outcome, Phase, Place
from kvtrace.readings import Heard, LinkLine, Vital
from kvtrace.split import Shares
from kvtrace.transfer import Told, Transfer


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One transfer in flight, as the fleet table shows it."""

    transfer: Transfer
    id: str
    """What the transfer is called: its base id, or the local one where that is ambiguous."""

    phase: Phase
    waited: int
    """Nanoseconds in the present phase, from the engines' own marks."""

    age: int
    """Nanoseconds since the first mark."""

    stalled: bool
    """Whether the phase has outlived its patience."""

    patience: int
    """Nanoseconds after which this phase counts as stalled."""

    waits_for: Place | None
    """Who must act next; None where we cannot know."""

    link: Link
    """With an empty name for a side not heard of."""

    ranks: tuple[int, int]
    """How many of how many ranks have written (write) or counted (completion)."""

    size: int
    """Bytes written so far."""

    ambiguous: bool = False
    """Whether more than one half could be its counterpart."""

    gone: bool = False
    """Whether the process that must act next is no more, so that it never will."""


class PhaseLine(msgspec.Struct, frozen=True, kw_only=True):
    """How one phase goes, over all transfers."""

    phase: Phase
    waiting: int
    stalled: int
    rate: float
    """Passed through it, a second, over the last ten."""

    count: int
    """Durations that p50 and p99 are taken from."""

    p50: int | None
    """Nanoseconds, over the last five minutes; None where none passed."""

    p99: int | None
    history: tuple[int, ...] = ()
    """p99 of the last five minutes, oldest first, in equal parts; -1 where none passed."""


class EngineLine(msgspec.Struct, frozen=True, kw_only=True):
    """One engine, as far as its processes told."""

    name: str
    """What screens call it: its id where that is short, else P0, D0, …"""

    id: str
    roles: str
    """`P`, `D` or `PD`."""

    ranks: int
    """Worker processes heard of."""

    in_flight: int
    waited_for: int
    """Stalled transfers that wait for this engine."""

    heard: int
    """Nanoseconds since anything of it was heard."""

    state: str
    """`alive`, `restarted` (alive; an earlier process of it died within the last hour, or left
    transfers in flight), `ended` (said goodbye), `died` (did not), `frozen` (was stopped),
    `unheard` (who watched it fell silent), `untraced` (a process stopped tracing)."""

    held_blocks: int = 0
    """KV blocks held for transfers in flight."""

    blocks: int = 0
    """KV blocks in all; 0 where not told."""

    running: int = 0
    """Requests that it computes or decodes, as far as it told; while there are any it steps."""

    facts: tuple[tuple[str, str], ...] = ()


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Transfers since we began to watch, by how they stand."""

    waiting: int = 0
    stalled: int = 0
    finished: int = 0
    failed: int = 0
    abandoned: int = 0


class Losses(msgspec.Struct, frozen=True, kw_only=True):
    """What we know that we did not see, or do not know exactly."""

    overwritten: int = 0
    unreadable: int = 0
    unknown: int = 0
    ledger_full: int = 0
    refused: int = 0
    """Events that an agent read and could not pass on."""

    turned_away: int = 0
    """OTLP requests that we did not take; their senders may send them again."""

    foreign: int = 0
    """Log records and spans of others that we received and passed over; no loss."""

    forgotten: int = 0
    """Transfers in flight, events of them, and engines that the fleet had to forget for room."""

    ambiguous: int = 0
    """Halves that could belong to more than one counterpart."""

    clock_error: int = 0
    """Nanoseconds; the largest error of the clock offsets in use."""

    lag: int = 0
    """Nanoseconds between the newest event and when it was taken in."""


class Done(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A transfer that ended lately."""

    transfer: Transfer
    id: str
    link: Link
    outcome: Outcome
    ended: Mark
    at: int
    """When it ended, in nanoseconds of our own monotonic clock."""

    took: int
    """Nanoseconds from the first mark to the last that counts."""

    size: int
    phases: tuple[tuple[Phase, int], ...]
    """Nanoseconds spent in each; they add up to `took`."""

    shares: Shares | None = None
    """Where the wait of its request went; None where a half is not known."""

    diagnosis: Diagnosis | None = None
    """Why it failed, was given up, or was slow; None where all was well."""


class Stalls(msgspec.Struct, frozen=True, kw_only=True):
    """Who stalls at one moment, and why."""

    waiting: int
    """Transfers in flight."""

    rows: tuple[Row, ...]
    """As in a snapshot; who has waited too little to be stalled may be left out."""

    diagnoses: dict[str, Diagnosis]
    """The same."""

    ended: dict[str, Cause] = {}
    """The same."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of what is known at one moment."""

    at: int
    """Nanoseconds of our own monotonic clock."""

    wall: int
    """Nanoseconds since the epoch."""

    totals: Totals
    oldest: int | None
    """The longest wait in a present phase, in nanoseconds; None where none is in flight."""

    phases: tuple[PhaseLine, ...]
    """In the order of Phase."""

    rows: tuple[Row, ...]
    """Transfers in flight: stalled first, within each the longest wait first."""

    done: tuple[Done, ...]
    """The last to end, newest first; bounded."""

    engines: tuple[EngineLine, ...]
    losses: Losses
    events: int
    """Taken in since we began."""

    rate: float
    """Events a second over the last ten."""

    names: dict[str, str] = {}
    """What screens call an engine, by its id; also of engines that only others speak of."""

    clocks: Clocks = Clocks("")
    """The engines' clocks against ours, for `timeline(transfer, clocks, now, handshakes)`."""

    handshakes: tuple[Told, ...] = ()
    """The last ones that were told without naming a request, for the same; bounded."""

    links: tuple[LinkLine, ...] = ()
    """Each that has transfers in flight, or ever had writes; bounded."""

    vitals: tuple[Vital, ...] = ()
    """How each engine goes over time."""

    tail: tuple[Heard, ...] = ()
    """The last that was heard of everything, the newest last; bounded."""

    diagnoses: dict[str, Diagnosis] = {}
    """Of each transfer that stalled, or waits for a process that is gone, by its id."""

    engine_diagnoses: tuple[Diagnosis, ...] = ()
    """What is wrong with engines as a whole."""

    ended: dict[str, Cause] = {}
    """What was named of each transfer that ended since the look before, by its id."""

    causes: tuple[CauseLine, ...] = ()
    """Every cause that was named since we began: what is true now first."""
