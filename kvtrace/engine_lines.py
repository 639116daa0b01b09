"""One line for each engine: what it holds, what waits for it, and when it was last heard."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.engines import Engine
from kvtrace.model import Role
from kvtrace.snapshot import EngineLine, Row
from kvtrace.standing import Standing

UNHEARD = 15_000_000_000
"""Nanoseconds without a word from who watches an engine after which nothing is known of it."""


class Load(msgspec.Struct, frozen=True):
    """What the transfers in flight mean for each engine, by its id."""

    in_flight: Counter[str]
    waited_for: Counter[str]
    held: Counter[str]


def load(standings: Iterable[tuple[Row, Standing]]) -> Load:
    """The load that these transfers in flight make."""
    found = Load(Counter(), Counter(), Counter())
    for row, standing in standings:
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
        state=_state(engine, now),
        held_blocks=load.held[engine.id],
        blocks=settings.blocks if settings is not None else 0,
        facts=_facts(engine),
    )


def _state(engine: Engine, now: int) -> str:
    """The engine's state; `unheard` where who watched it has fallen silent meanwhile."""
    lasting = engine.state in ("died", "ended")
    silent = engine.watched is not None and now - engine.watched > UNHEARD
    return "unheard" if silent and not lasting else engine.state


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
