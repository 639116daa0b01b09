"""Numbers and lengths as protobuf writes them."""

from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, UInt64Value
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.sinks.otlp.wire_format import sized, varint

EDGES = [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, (1 << 21) - 1, 1 << 21, (1 << 63) - 1, (1 << 64) - 1]


@given(st.sampled_from(EDGES) | st.integers(0, (1 << 64) - 1))
def test_a_number_is_written_as_protobuf_writes_it(number: int) -> None:
    whole = UInt64Value(value=number).SerializeToString()
    assert varint(number) == whole[1:] or (number == 0 and varint(0) == b"\0")


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_number_may_be_negative(number: int) -> None:
    whole = Int64Value(value=number).SerializeToString()
    assert varint(number) == whole[1:] or number == 0


@given(st.binary(max_size=300))
def test_bytes_come_after_their_length(content: bytes) -> None:
    assert sized(content) == BytesValue(value=content).SerializeToString()[1:] or not content
