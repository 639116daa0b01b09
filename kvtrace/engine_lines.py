"""One line for each engine: what it holds, what waits for it, and when it was last heard."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.engines import Engine
from kvtrace.model import Role
from kvtrace.snapshot import EngineLine, Row
from kvtrace.standing import Standing
from kvtrace.transfer import Half

UNHEARD = 15_000_000_000
"""Nanoseconds without a word from who watches an engine after which nothing is known of it."""

UNWATCHED = 300_000_000_000
"""Nanoseconds without an event after which nothing is known of an engine that nobody watches, such
as one whose events came late, or as spans alone; who reads a black box watches its process."""

LATELY = 3600_000_000_000
"""Nanoseconds for which it is news that an engine died and began anew."""


class Load(msgspec.Struct, frozen=True):
    """What the transfers in flight mean for each engine, by its id."""

    in_flight: Counter[str]
    waited_for: Counter[str]
    held: Counter[str]
    left: set[str]
    """Engines with transfers in flight that a process before the present one had a part in."""


def replaced(engines: Iterable[Engine]) -> dict[str, frozenset[str]]:
    """The processes that are gone and whose place others have taken, by engine."""
    return {e.id: frozenset(o.process for o in e.replaced) for e in engines if e.replaced}


def load(
    standings: Iterable[tuple[Row, Standing]], before: Mapping[str, frozenset[str]] | None = None
) -> Load:
    """The load that these transfers in flight make; `before` is what `replaced` gives."""
    found = Load(Counter(), Counter(), Counter(), set())
    for row, standing in standings:
        if before:
            _look_for_left(row, before, found.left)
        for engine, blocks in (
            (row.link.producer, standing.held[0]),
            (row.link.consumer, standing.held[1]),
        ):
            if engine:
                found.in_flight[engine] += 1
                found.held[engine] += blocks
        if row.stalled and row.waits_for is not None:
            found.waited_for[row.waits_for.engine] += 1
    return found


def _look_for_left(row: Row, before: Mapping[str, frozenset[str]], left: set[str]) -> None:
    for engine, half in (
        (row.link.producer, row.transfer.producer),
        (row.link.consumer, row.transfer.consumer),
    ):
        fresh = engine in before and engine not in left
        if fresh and _spoke(before[engine], half):
            left.add(engine)


def _spoke(processes: frozenset[str], half: Half | None) -> bool:
    return half is not None and any(told.process in processes for told in half.told.values())


def engine_line(engine: Engine, name: str, load: Load, clocks: Clocks, now: int) -> EngineLine:
    """The engine's line, as of `now`."""
    settings = engine.settings
    return EngineLine(
        name=name,
        id=engine.id,
        roles="".join(role.value for role in Role if role in engine.roles),
        ranks=engine.workers,
        in_flight=load.in_flight[engine.id],
        waited_for=load.waited_for[engine.id],
        heard=max(0, now - clocks.instant(engine.newest)),
        state=_state(engine, load, clocks, now),
        held_blocks=load.held[engine.id],
        blocks=settings.blocks if settings is not None else 0,
        running=engine.running,
        facts=_facts(engine),
    )


def _state(engine: Engine, load: Load, clocks: Clocks, now: int) -> str:
    """The engine's state, with what only the time or its transfers can tell."""
    lasting = engine.state in ("died", "ended")
    if _silent(engine, clocks, now) and not lasting:
        return "unheard"
    if engine.state == "alive" and (engine.id in load.left or _came_back(engine, clocks, now)):
        return "restarted"
    return engine.state


def _silent(engine: Engine, clocks: Clocks, now: int) -> bool:
    """Whether who could tell how it is has not been heard for too long."""
    if engine.watched is not None:
        return now - engine.watched > UNHEARD
    return now - clocks.instant(engine.newest) > UNWATCHED


def _came_back(engine: Engine, clocks: Clocks, now: int) -> bool:
    """Whether it died, and lately began anew."""
    if all(origin.stopped for origin in engine.replaced):
        return False
    return any(now - clocks.instant(origin.began) < LATELY for origin in engine.origins)


def _facts(engine: Engine) -> tuple[tuple[str, str], ...]:
    """What its first rank told of it and is not the default, as text."""
    settings = engine.settings
    if settings is None:
        return ()
    found = [
        (name, str(getattr(settings, name)))
        for name in settings.__struct_fields__
        if name not in _NOT_OF_THE_ENGINE and getattr(settings, name) not in ("", 0)
    ]
    return (*found, *sorted(settings.facts.items()))


_NOT_OF_THE_ENGINE = ("request", "engine", "rank", "facts")
