"""When each step of a transfer first happened, by rank, on our clock."""

from typing import TypeAlias

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.events import AnyEvent, BlocksReady, CompletionCounted, ReceiveReported
from kvtrace.transfer import Half, Told, Transfer

Ranks: TypeAlias = tuple[int, int]
"""Rank and peer rank; -1 in a scheduler, and where there is no peer."""


class Steps(msgspec.Struct, frozen=True):
    """When each step of a transfer first happened, by rank, on our clock."""

    firsts: dict[str, dict[Ranks, int]]
    """By the event's name."""

    def at(self, name: str) -> dict[Ranks, int]:
        """When the step happened, by rank and peer rank; empty where it has not."""
        return self.firsts.get(name, {})

    def ranks(self, name: str) -> dict[int, int]:
        """When the step first happened on each rank."""
        found: dict[int, int] = {}
        for (rank, _), instant in self.at(name).items():
            found[rank] = min(instant, found.get(rank, instant))
        return found

    def first(self, *names: str) -> int | None:
        """The earliest of these steps; None where none has happened."""
        return min((instant for name in names for instant in self.at(name).values()), default=None)


def read(transfer: Transfer, clocks: Clocks) -> Steps:
    """The steps that both halves tell of."""
    firsts: dict[str, dict[Ranks, int]] = {}
    for half in (transfer.consumer, transfer.producer):
        if half is not None:
            _read(half, clocks, firsts)
    return Steps(firsts)


def earliest(half: Half, *names: str) -> Told | None:
    """What the half first told of these events; None where it told of none."""
    told = firsts(half, frozenset(names)).values()
    return min(told, key=lambda told: (told.mark.at, told.seq), default=None)


def firsts(half: Half, names: frozenset[str]) -> dict[str, Told]:
    """What the half first told of each of these events, by their names."""
    found: dict[str, Told] = {}
    for key, told in half.told.items():
        name = key[0]
        if name in names:
            known = found.get(name)
            if known is None or (told.mark.at, told.seq) < (known.mark.at, known.seq):
                found[name] = told
    return found


def _read(half: Half, clocks: Clocks, firsts: dict[str, dict[Ranks, int]]) -> None:
    for (name, _, rank, peer, _), told in half.told.items():
        if not _stands(told.event):
            continue
        instant = clocks.instant(told.mark)
        known = firsts.setdefault(name, {})
        if instant < known.get((rank, peer), instant + 1):
            known[rank, peer] = instant


def _stands(event: AnyEvent) -> bool:
    """Whether the step is done by it, rather than refused or only begun."""
    match event:
        case BlocksReady(held=held):
            return held
        case CompletionCounted(count=count, needed=needed):
            return count >= needed
        case ReceiveReported(failed=failed):
            return not failed
        case _:
            return True
