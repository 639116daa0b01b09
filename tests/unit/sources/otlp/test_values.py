"""Attributes out of bytes, by the short way and the long one."""

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from kvtrace.errors import WireError
from kvtrace.sources.otlp.values import KEPT, MOST, Attributes
from tests.unit.sources.otlp.requests import any_value

INT64 = st.integers(min_value=-(1 << 63), max_value=(1 << 63) - 1)
PLAIN = (
    st.text(max_size=200)
    | st.booleans()
    | INT64
    | st.floats(allow_nan=False)
    | st.binary(max_size=50)
    | st.lists(st.text(max_size=5), min_size=1).map(tuple)
    | st.lists(INT64, min_size=1).map(tuple)
)


def pair(key: str, value: Any) -> bytes:
    return bytes(KeyValue(key=key, value=any_value(value)).SerializeToString())


@given(st.dictionaries(st.text(min_size=1, max_size=150), PLAIN, max_size=10))
def test_what_is_written_is_read_the_first_time_and_again(given: dict[str, Any]) -> None:
    attributes = Attributes()
    raw = [pair(key, value) for key, value in given.items()]
    for _ in range(2):
        read = attributes.read(raw)
        assert read == given
        assert [type(value) for value in read.values()] == [type(v) for v in given.values()]


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_bytes_are_attributes_or_an_error_of_ours(raw: list[bytes]) -> None:
    with suppress(WireError):
        Attributes().read(raw)


@given(st.binary(max_size=40))
def test_the_short_way_reads_what_protobuf_reads(tail: bytes) -> None:
    attributes = Attributes()
    large = pair("k", 1 << 20)
    attributes.read([large])
    for raw in (tail, b"\x0a\x01k\x12" + tail, pair("k", 5)[:-1] + tail, large[:-3] + tail[:3]):
        try:
            parsed = KeyValue.FromString(raw)
        except Exception:  # noqa: BLE001 - whatever protobuf says of it
            continue
        kind = parsed.value.WhichOneof("value")
        if kind in ("string_value", "int_value"):
            assert attributes.read([raw]) == {parsed.key: getattr(parsed.value, kind)}


def test_what_cannot_be_an_attribute_of_ours_is_left_out() -> None:
    nested = AnyValue()
    nested.kvlist_value.values.add(key="inner", value=AnyValue(int_value=1))
    mixed = AnyValue()
    mixed.array_value.values.extend([AnyValue(int_value=1), AnyValue(string_value="x")])
    raw = [
        KeyValue(key=key, value=value).SerializeToString()
        for key, value in {"map": nested, "mixed": mixed, "none": AnyValue()}.items()
    ]
    found = Attributes().read([*raw, pair("kept", 1)])
    assert {key: value for key, value in found.items() if key} == {"kept": 1}


def test_not_a_number_is_a_number_still() -> None:
    (value,) = Attributes().read([pair("x", math.nan)]).values()
    assert isinstance(value, float)
    assert math.isnan(value)


def test_nesting_without_end_is_refused_and_not_followed() -> None:
    raw = AnyValue(int_value=1).SerializeToString()
    for _ in range(5000):
        inner = b"\x0a" + _length(raw) + raw
        raw = b"\x2a" + _length(inner) + inner
    with pytest.raises(WireError):
        Attributes().read([b"\x0a\x01k\x12" + _length(raw) + raw])


def test_absurdly_many_attributes_are_refused() -> None:
    with pytest.raises(WireError, match="1001 attributes"):
        Attributes().read([b""] * (MOST + 1))


def test_memory_of_attributes_is_bounded() -> None:
    attributes = Attributes()
    for number in range(2 * KEPT):
        attributes.read([pair("id", f"request {number}"), pair("seq", number << 20)])
        attributes.read([pair(f"key {number}", 1 << 20)])
    assert len(attributes._known) <= KEPT
    assert len(attributes._begun) <= KEPT


def _length(raw: bytes) -> bytes:
    size, found = len(raw), b""
    while size > 0x7F:
        found += bytes([size & 0x7F | 0x80])
        size >>= 7
    return found + bytes([size])
