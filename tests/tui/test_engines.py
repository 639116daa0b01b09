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


def test_engines_without_room_are_counted() -> None:
    many = [msgspec.structs.replace(P0, name=f"P{n}", id=f"P{n}") for n in range(64)]
    assert engine_lines(frame(*many)) > 2
    assert engines(frame(*many), 2)[2].plain.endswith("more")


def test_without_lines_nothing_is_drawn() -> None:
    assert engines(frame(P0), 0) == []
