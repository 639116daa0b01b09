"""Export requests in JSON, however they are laid out."""

import json
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.sources.otlp.cutter import (
    DEEP,
    DEEPEST,
    HELD,
    LONG,
    STRANGE,
    TORN,
    Cutter,
    Piece,
)
from tests.unit.sources.otlp.requests import logs, record, spans

ONE: Any = json_format.MessageToDict(logs(record(1), record(2)))
TWO: Any = json_format.MessageToDict(spans(record(3)))
BOTH: Any = {"resourceLogs": [*ONE["resourceLogs"], *ONE["resourceLogs"]]}
RESOURCES = [ONE["resourceLogs"][0], TWO["resourceSpans"][0]]


def cut(text: bytes, part: int = 1 << 20, longest: int = 1 << 20) -> list[Piece]:
    """What is cut out of the text, read in lines of at most so many bytes."""
    cutter = Cutter(longest)
    found = []
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), part):
            found += cutter.take(line[start : start + part])
    return found + list(cutter.end())


def resources(pieces: list[Piece]) -> list[object]:
    assert [one.wrong for one in pieces] == [""] * len(pieces)
    return [json.loads(one.body)[one.name.decode()][0] for one in pieces]


LAYOUTS = {
    "a line each": json.dumps(ONE) + "\n" + json.dumps(TWO) + "\n",
    "many lines each": json.dumps(ONE, indent=2) + "\n" + json.dumps(TWO, indent="\t"),
    "without indents": json.dumps(ONE, indent=0) + "\n\n" + json.dumps(TWO, indent=0),
    "without anything between": json.dumps(ONE) + json.dumps(TWO),
    "an array in a line": json.dumps([ONE, TWO]),
    "an array over lines": json.dumps([ONE, TWO], indent=1),
    "within something else": json.dumps({"a": [{"logs": ONE, "n": 1}], "b": {"c": TWO}}, indent=4),
    "windows' lines": json.dumps([ONE, TWO], indent=2).replace("\n", "\r\n"),
    "a text sequence": "\x1e" + json.dumps(ONE) + "\n\x1e" + json.dumps(TWO) + "\n",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_layout_gives_the_same(text: str) -> None:
    assert resources(cut(text.encode())) == RESOURCES


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("part", [1, 7, 64])
def test_long_lines_may_come_in_parts(text: str, part: int) -> None:
    assert resources(cut(text.encode(), part)) == RESOURCES


def test_each_resource_is_a_request_of_its_own_and_tells_its_line() -> None:
    pieces = cut(json.dumps(BOTH, indent=2).encode())
    assert resources(pieces) == BOTH["resourceLogs"]
    assert [pieces[0].line, pieces[1].line > 3] == [3, True]


def test_brackets_and_names_in_strings_are_text() -> None:
    tricky = {"resourceLogs": [{"resource": {"a": 'x"]}[{\\', "b": '"resourceLogs":['}}]}
    for indent in (None, 2):
        text = json.dumps(tricky, indent=indent).encode()
        assert resources(cut(text, 5)) == tricky["resourceLogs"]


@pytest.mark.parametrize(
    ("text", "wrong", "line"),
    [
        (b'\n{"a": 1}\n', STRANGE, 2),
        (b'{"resourceLogs": 7}', STRANGE, 1),
        (b"\n\n]\n", STRANGE, 3),
        (b'{"a": ]], "b": {}}', STRANGE, 1),
        (b'{\n"resourceLogs": [\n{]\n', STRANGE, 3),
        (b'{\n"resourceLogs": [\n{"a": "b\n', STRANGE, 3),
        (b'\n{\n"resourceLogs": [\n{"a": 1', TORN, 2),
        (b"?", STRANGE, 1),
        (b'{"resourceLogs": [{"a": "' + bytes(2 << 20) + b'"}]}', LONG, 1),
        (b'{"resourceLogs": [{"a": "' + bytes(2 << 20), LONG, 1),
        (b'{"resourceLogs": [{"a": "' + b"\\n" * (1 << 19) + b'\n"}]}', STRANGE, 1),
        (b'{"resourceLogs": [{"a": [' + b"1, " * (1 << 20) + b"]}]}", LONG, 1),
        (b'{"resourceLogs": [\n1, 2, null, "x", true]}', STRANGE, 2),
        (b'{"resourceLogs": [' + b"[" * DEEPEST, DEEP, 1),
    ],
    ids=str,
)
def test_what_is_wrong_is_told_with_its_line(text: bytes, wrong: str, line: int) -> None:
    (piece,) = cut(text)
    assert (piece.wrong, piece.line, piece.body) == (wrong, line, b"")


@pytest.mark.parametrize("more", range(4))
def test_a_long_string_is_looked_at_once_wherever_it_is_parted(more: int) -> None:
    tricky = {"resourceLogs": [{"a": "x" * (HELD + more) + '\\"]}\\' * 9, "b": 1}, {"c": "y"}]}
    text = json.dumps(tricky).encode()
    for part in (1 << 14, (1 << 14) + 1, HELD + 31):
        assert resources(cut(text, part)) == tricky["resourceLogs"]


def test_what_unfolds_to_too_much_is_not_unfolded() -> None:
    text = b'{"resourceLogs":[{"a":[' + b"{}," * 50 + b"{}]},{}]}"
    cutter = Cutter(1 << 20, most=100)
    assert [one.wrong for one in cutter.take(text)] == [LONG, ""]


def test_what_stands_between_resources_is_told_and_they_are_read() -> None:
    pieces = cut(b'{"resourceLogs":[1,{"a":1},"x",{"b":2},3,4]}')
    assert [one.wrong for one in pieces] == [STRANGE, "", ""]


def test_after_what_is_wrong_the_next_request_is_found() -> None:
    whole = json.dumps(ONE).encode() + b"\n"
    for broken in (b"?\n", b'{"resourceLogs":[{"a', b'{"resourceLogs":[{"a"', b'{"a": ]\n', b"}\n"):
        text = whole + broken.rstrip() + b"\n" + whole
        bodies = [one.body for one in cut(text) if not one.wrong]
        assert bodies == [cut(whole)[0].body] * 2


def test_an_empty_request_is_one() -> None:
    assert cut(b'{"resourceLogs": []}\n{"resourceMetrics":[]}\n') == []


@given(st.binary(max_size=200), st.integers(1, 50))
def test_any_bytes_are_cut_or_told(garbage: bytes, part: int) -> None:
    for text in (garbage, b'{"resourceLogs":[{' + garbage):
        assert all(bool(one.wrong) is not bool(one.body) for one in cut(text, part))
