import msgspec
import pytest

from kvtrace.snapshot import EngineLine
from kvtrace.tui.engines import engine_lines, engines
from kvtrace.tui.frame import NOTHING, Frame

P0 = EngineLine(
    name="P0",
    id="P0",
    roles="P",
    ranks=1,
    in_flight=54,
    waited_for=0,
    heard=0,
    state="alive",
    held_blocks=62,
    blocks=100,
)


def frame(*lines: EngineLine, width: int = 80) -> Frame:
    return Frame(snapshot=msgspec.structs.replace(NOTHING, engines=lines), width=width)


def drawn(**changes: object) -> str:
    return engines(frame(msgspec.structs.replace(P0, **changes)), 1)[1].plain


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, " P0 ▅  62%  54"),
        ({"waited_for": 2}, " P0!▅  62%  54"),
        ({"blocks": 0}, " P0      –  54"),
        ({"heard": 14_000_000_000}, " P0 ? silent 14.0 s"),
        ({"heard": 14_000_000_000, "in_flight": 0}, " P0  idle 14.0 s"),
        ({"heard": 14_000_000_000, "in_flight": 0, "running": 1}, " P0  in a step 14.0 s"),
        ({"state": "died"}, " P0 ✗ died"),
        ({"state": "ended"}, " P0 ✗ ended"),
        ({"state": "untraced"}, " P0 ? not traced"),
        ({"state": "restarted"}, " P0 ▅  62%  54 restarted"),
        (
            {"state": "restarted", "heard": 14_000_000_000, "in_flight": 0},
            " P0  idle 14.0 s, restarted",
        ),
    ],
)
def test_an_engine_says_how_it_is(changes: dict[str, object], expected: str) -> None:
    assert drawn(**changes) == expected


def test_producers_come_first_and_consumers_from_a_new_line() -> None:
    lines = [msgspec.structs.replace(P0, name=n, id=n, roles=n[0]) for n in ("D0", "P10", "P2")]
    told = [line.plain for line in engines(frame(*lines), 9)]
    assert [line.split()[0] for line in told] == ["ENGINE", "P2", "D0"]
    assert "P10" in told[1]


def many(count: int, **changes: object) -> list[EngineLine]:
    named = (f"P{n}" for n in range(count))
    return [msgspec.structs.replace(P0, name=name, id=name, **changes) for name in named]


def test_engines_without_room_are_counted() -> None:
    assert engine_lines(frame(*many(64))) > 2
    assert engines(frame(*many(64)), 2)[2].plain.endswith("+ 16 more")


def test_more_than_eight_on_a_side_stand_in_groups_that_add_up() -> None:
    told = [line.plain for line in engines(frame(*many(8)), 9)]
    assert "P7 " in " ".join(told)
    unwell = msgspec.structs.replace(P0, name="P8", id="P8", state="died", in_flight=0)
    asked = msgspec.structs.replace(P0, name="P9", id="P9", waited_for=3)
    told = [line.plain for line in engines(frame(*many(8), unwell, asked), 9)]
    assert told[1] == " P0-P7 ▅  62% 432   P8-P9!▅  62%  54 ? 1 not well"


def test_without_lines_nothing_is_drawn() -> None:
    assert engines(frame(P0), 0) == []
