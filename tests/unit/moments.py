"""Makes moments: by hand with defaults, and at random for properties."""

import types
from typing import Any, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from kvtrace.events import AnyEvent, BlocksReady
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost, Moment, News, Record, Watched
from kvtrace.wire import KINDS

SECOND = 1_000_000_000
START = 5_000 * SECOND
"""When recordings in tests start, by the recorder's clock."""

WALL = 1_767_225_600 * SECOND


def record(
    event: AnyEvent | None = None, *, seq: int = 1, at: int = START, **others: Any
) -> Record:
    """A record, by default of blocks that became ready."""
    known: dict[str, Any] = {
        "process": "a" * 32,
        "clock": "boot",
        "engine": "prefill-0",
        "role": Role.PRODUCER,
        "wall": WALL + at - START,
    }
    return Record(
        seq=seq, at=at, event=event or BlocksReady(request="r1", blocks=4), **{**known, **others}
    )


def moment(after: float, news: News | None = None) -> Moment:
    """A moment so many seconds after the start."""
    return Moment(START + round(after * SECOND), news)


def events() -> st.SearchStrategy[AnyEvent]:
    """Any event, with any values."""
    return st.sampled_from(sorted(KINDS)).flatmap(lambda kind: event_of(KINDS[kind]))


def event_of(cls: type) -> st.SearchStrategy[Any]:
    """Any event of that kind."""
    fields = {field.name: _values(field.type) for field in msgspec.structs.fields(cls)}
    return st.fixed_dictionaries(fields).map(lambda values: cls(**values))


def records() -> st.SearchStrategy[Record]:
    """Any record."""
    return st.builds(
        Record,
        process=st.sampled_from(["a" * 32, "b" * 32]),
        seq=numbers(),
        at=numbers(),
        wall=numbers(),
        clock=text(),
        engine=text(),
        role=st.sampled_from([*Role, None]),
        rank=st.integers(-1, 8),
        thread=text(),
        event=events(),
    )


def news() -> st.SearchStrategy[News | None]:
    """Anything that can arrive, or nothing."""
    lost = st.builds(
        Lost,
        process=text(),
        overwritten=numbers(),
        unreadable=numbers(),
        unknown=numbers(),
        ledger_full=numbers(),
        refused=numbers(),
        turned_away=numbers(),
        teller=text(),
        number=numbers(),
    )
    ended = st.builds(Ended, process=text(), goodbye=st.booleans())
    states = st.sampled_from(["running", "frozen"])
    return st.none() | records() | lost | ended | st.builds(Watched, process=text(), state=states)


def streams(*, least: int = 0) -> st.SearchStrategy[list[Moment]]:
    """Moments in the order in which they came, at least so many nanoseconds apart."""
    step = st.integers(least, 3 * SECOND)
    return st.lists(st.tuples(step, news()), max_size=12).map(_in_order)


def numbers() -> st.SearchStrategy[int]:
    """Instants and counts."""
    return st.integers(0, (1 << 62) - 1)


def text() -> st.SearchStrategy[str]:
    """Names from outside."""
    return st.text(max_size=8)


def _in_order(steps: list[tuple[int, News | None]]) -> list[Moment]:
    at, found = START, []
    for step, arrived in steps:
        at += step
        found.append(Moment(at, arrived))
    return found


def _values(kind: Any) -> st.SearchStrategy[Any]:
    if get_origin(kind) in (Union, types.UnionType):
        return st.one_of(*(_values(part) for part in get_args(kind)))
    if get_origin(kind) is tuple:
        return st.lists(_values(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) is dict:
        return st.dictionaries(text(), _values(get_args(kind)[1]), max_size=3)
    return {
        str: text(),
        int: st.integers(-(1 << 62), 1 << 62),
        bool: st.booleans(),
        type(None): st.none(),
    }[kind]
