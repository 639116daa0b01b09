"""When each step of a transfer first happened, by rank, on our clock."""

from functools import cached_property
from typing import TypeAlias

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.events import AnyEvent, BlocksReady, CompletionCounted, ReceiveReported
from kvtrace.transfer import Half, Told, Transfer

Ranks: TypeAlias = tuple[int, int]
"""Rank and peer rank; -1 in a scheduler, and where there is no peer."""


Pair: TypeAlias = tuple[int, int]
"""A producer's rank and a consumer's rank, with a write to make between them."""


class Steps(msgspec.Struct, frozen=True, dict=True):
    """When each step of a transfer first happened, by rank, on our clock."""

    firsts: dict[str, dict[Ranks, int]]
    """By the event's name."""

    by_rank: dict[str, dict[int, int]]
    """The same, whichever the peer rank."""

    def at(self, name: str) -> dict[Ranks, int]:
        """When the step happened, by rank and peer rank; empty where it has not."""
        return self.firsts.get(name, _NEVER)

    def ranks(self, name: str) -> dict[int, int]:
        """When the step first happened on each rank."""
        return self.by_rank.get(name, _NOWHERE)

    def first(self, *names: str) -> int | None:
        """The earliest of these steps; None where none has happened."""
        found = [instant for name in names for instant in self.ranks(name).values()]
        return min(found) if found else None

    @cached_property
    def pairs(self) -> set[Pair]:
        """Those that have a write to make."""
        asked = {(peer, rank) for rank, peer in self.at("registration.sent")}
        return asked | set(self.at("write.posted")) | set(self.at("write.finished"))

    @cached_property
    def landed(self) -> dict[Pair, int]:
        """When each pair's write was first known to have landed, by either side."""
        found = dict(self.at("write.finished"))
        for (rank, peer), instant in self.at("notification.noticed").items():
            mine = [pair for pair in self.pairs if pair[1] == rank]
            if peer >= 0:
                _keep(found, (peer, rank), instant)
            elif len(mine) == 1:
                _keep(found, mine[0], instant)
        for name in ("completion.counted", "receive.reported"):
            for rank, instant in self.ranks(name).items():
                for pair in self.pairs:
                    if pair[1] == rank:
                        _keep(found, pair, instant)
        return found

    @cached_property
    def addressed(self) -> set[int]:
        """The producer's ranks that the consumer registers with."""
        asked = {peer for _, peer in self.at("registration.sent")}
        return asked or set(self.ranks("registration.noticed")) | set(self.matched)

    @cached_property
    def matched(self) -> dict[int, int]:
        """When blocks and registration met on each rank; a write proves that they had."""
        found = dict(self.ranks("match.made"))
        for name in ("write.started", "write.posted"):
            for rank, instant in self.ranks(name).items():
                found.setdefault(rank, instant)
        return found


_NEVER: dict[Ranks, int] = {}
_NOWHERE: dict[int, int] = {}


def read(transfer: Transfer, clocks: Clocks) -> Steps:
    """The steps that both halves tell of."""
    steps = Steps({}, {})
    for half in (transfer.consumer, transfer.producer):
        if half is not None:
            _read(half, clocks, steps)
    return steps


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


def _read(half: Half, clocks: Clocks, steps: Steps) -> None:
    every, by_rank = steps.firsts, steps.by_rank
    for (name, _, rank, peer, _), told in half.told.items():
        if type(told.event) in MAY_NOT_STAND and not _stands(told.event):
            continue
        mark = told.mark
        instant = mark.at if mark.clock == clocks.ours else clocks.instant(mark)
        known = every.get(name)
        if known is None:
            every[name] = {(rank, peer): instant}
            by_rank[name] = {rank: instant}
            continue
        if instant < known.get((rank, peer), instant + 1):
            known[rank, peer] = instant
        alike = by_rank[name]
        if instant < alike.get(rank, instant + 1):
            alike[rank] = instant


def _keep(found: dict[Pair, int], pair: Pair, instant: int) -> None:
    found[pair] = min(instant, found.get(pair, instant))


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


MAY_NOT_STAND = frozenset((BlocksReady, CompletionCounted, ReceiveReported))
"""Kinds that tell of a step only in some of their forms."""
