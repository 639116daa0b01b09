"""Attributes as bytes are what protobuf would make of them, the first time and again."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from kvtrace.sinks.otlp.pairs import KEPT, NAMES, Pairs
from kvtrace.sinks.otlp.wire_format import sized
from tests.otlp_messages import fill

TEXTS = st.text(max_size=300) | st.just("a\ud800")
NUMBERS = st.integers(-(1 << 65), 1 << 65)
VALUES = (
    TEXTS
    | NUMBERS
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.binary(max_size=50)
    | st.lists(TEXTS, max_size=3).map(tuple)
    | st.lists(st.integers(-5, 5), max_size=3).map(tuple)
)


def pairs(attributes: dict[str, Any]) -> list[KeyValue]:
    return [KeyValue.FromString(raw[_length(raw) :]) for raw in Pairs().of(attributes)]


def _length(raw: bytes) -> int:
    """Bytes of the length in front."""
    return next(size for size in range(1, 11) if sized(raw[size:]) == raw)


def value(given: Any) -> Any:
    (pair,) = pairs({"a": given})
    return getattr(pair.value, str(pair.value.WhichOneof("value")))


@given(st.lists(st.dictionaries(TEXTS.filter(bool), VALUES, max_size=5), max_size=5))
def test_the_bytes_are_those_of_a_message(given: list[dict[str, Any]]) -> None:
    made = Pairs()
    for attributes in given * 2:
        found: list[KeyValue] = []

        def add(key: str, to: list[KeyValue] = found) -> KeyValue:
            to.append(KeyValue(key=key))
            return to[-1]

        fill(add, attributes)
        assert made.of(attributes) == [sized(one.SerializeToString()) for one in found]


def test_values_of_every_kind_are_kept() -> None:
    assert value(("a", "b")).values[1].string_value == "b"
    assert value((1, 2)).values[0].int_value == 1
    assert value(()).values == []
    assert value(b"\x00") == b"\x00"
    assert value(1.5) == 1.5
    assert math.isnan(value(math.nan))
    assert value(False) is False
    assert value(-1) == -1


def test_what_no_message_can_hold_is_told_as_text() -> None:
    assert value(1 << 63) == str(1 << 63)
    assert value("b\udfff") == "b?"


def test_true_is_not_taken_for_one() -> None:
    made = Pairs()
    first = made.of({"a": 1, "b": True})
    assert made.of({"a": True, "b": 1}) != first
    assert made.of({"a": 1, "b": True}) == first


def test_what_is_remembered_is_bounded() -> None:
    made = Pairs()
    for number in range(KEPT + 10):
        made.of({"a": f"text {number}", "b": "x" * 500})
    for number in range(NAMES + 10):
        made.of({f"name {number}": number, f"other {number}": "x"})
    assert len(made._texts.get("a", ())) <= KEPT
    assert not made._texts.get("b")
    assert len(made._texts) <= NAMES
    assert len(made._numbers) <= NAMES
