"""The codec: every event there and back, and what is not an event."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.events import AnyEvent, BlocksReady, TablesSampled
from kvtrace.wire import KINDS, attributes, from_attributes, kind, pack, unpack
from tests.unit.moments import events
from tests.unit.samples import SAMPLES


@pytest.mark.parametrize("event", SAMPLES, ids=kind)
def test_every_sample_survives_the_black_box(event: AnyEvent) -> None:
    assert unpack(pack(event)) == event


@pytest.mark.parametrize("event", SAMPLES, ids=kind)
def test_every_sample_survives_as_attributes(event: AnyEvent) -> None:
    given_back = msgspec.json.decode(msgspec.json.encode(attributes(event)))
    assert from_attributes(kind(event), given_back) == event


@given(events())
def test_any_event_survives_both_ways(event: AnyEvent) -> None:
    assert unpack(pack(event)) == event
    assert from_attributes(kind(event), attributes(event)) == event


@given(st.binary(max_size=300))
def test_any_bytes_are_an_event_or_a_wire_error(payload: bytes) -> None:
    with suppress(WireError):
        assert kind(unpack(payload)) in KINDS


def test_a_default_is_not_an_attribute() -> None:
    assert attributes(BlocksReady(request="r1")) == {"request": "r1"}
    assert attributes(TablesSampled()) == {}


def test_an_attribute_of_a_newer_version_is_passed_over() -> None:
    event = from_attributes("blocks.ready", {"request": "r1", "colour": "green"})
    assert event == BlocksReady(request="r1")


def test_a_field_of_a_newer_version_is_passed_over() -> None:
    row = msgspec.msgpack.decode(pack(BlocksReady(request="r1")))
    assert unpack(msgspec.msgpack.encode([*row, "green"])) == BlocksReady(request="r1")


def test_fields_that_an_older_version_did_not_write_have_their_defaults() -> None:
    assert unpack(msgspec.msgpack.encode(["blocks.ready", "r1"])) == BlocksReady(request="r1")


def test_an_unknown_kind_is_told_from_a_broken_record() -> None:
    with pytest.raises(UnknownKindError, match=r"blocks\.painted"):
        unpack(msgspec.msgpack.encode(["blocks.painted", "r1"]))
    with pytest.raises(UnknownKindError, match=r"blocks\.painted"):
        from_attributes("blocks.painted", {})
    with pytest.raises(WireError, match="not an event"):
        unpack(msgspec.msgpack.encode(["blocks.ready", 7]))
    with pytest.raises(WireError, match=r"blocks\.ready"):
        from_attributes("blocks.ready", {"blocks": "many"})
