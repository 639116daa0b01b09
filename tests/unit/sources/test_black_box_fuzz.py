from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from kvtrace.black_box import MAGIC
from kvtrace.errors import BlackBoxError
from kvtrace.events import FailureLogged, ProcessStarted
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import RING_SLOTS, SMALL, queued, small_box


def filled(directory: Path) -> bytes:
    box, origin = small_box(directory)
    box.describe(origin, ProcessStarted(engine="d", model="m"))
    for number in range(40):
        box.record(queued(f"r{number % 9}"), origin)
        box.record(FailureLogged(message="x" * 30 * number), origin)
    box.close("done")
    raw = box.path.read_bytes()
    box.path.unlink()
    return raw


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    directory = tmp_path_factory.mktemp("boxes")
    return directory / "any.kvbox", filled(directory)


FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
AREAS = (0, 256, 296, SMALL.facts_at, SMALL.ledger_at, SMALL.ring_at, SMALL.size)


def survives(path: Path, raw: bytes) -> None:
    """Read the file to its end: nothing but a BlackBoxError may come of it, and no end of news."""
    path.write_bytes(raw)
    try:
        reader = BlackBoxReader(path)
    except BlackBoxError:
        return
    news = [it for _ in range(3) for it in reader.poll()]
    reader.close()
    assert reader.ended
    assert len(news) < 4 * (RING_SLOTS + SMALL.ledger_slots)


@FUZZ
@given(data=st.data())
def test_flipped_bits_are_losses_at_most(good: tuple[Path, bytes], data: DataObject) -> None:
    path, whole = good
    raw = bytearray(whole)
    area = data.draw(st.integers(0, len(AREAS) - 2))
    places = st.integers(AREAS[area], AREAS[area + 1] - 1)
    for at in data.draw(st.lists(places, min_size=1, max_size=40)):
        raw[at] ^= 1 << data.draw(st.integers(0, 7))
    survives(path, bytes(raw))


@FUZZ
@given(data=st.data())
def test_overwritten_stretches_are_losses_at_most(
    good: tuple[Path, bytes], data: DataObject
) -> None:
    path, whole = good
    at = data.draw(st.integers(152, SMALL.size))
    size = data.draw(st.integers(0, 20_000))
    seed = data.draw(st.binary(min_size=1, max_size=64))
    garbage = (seed * (size // len(seed) + 1))[:size]
    survives(path, (whole[:at] + garbage + whole[at + size :])[: SMALL.size])


@FUZZ
@given(size=st.integers(0, SMALL.size))
def test_a_cut_off_box_is_a_loss_at_most(good: tuple[Path, bytes], size: int) -> None:
    path, whole = good
    survives(path, whole[:size])


@FUZZ
@given(raw=st.binary(max_size=5000))
def test_any_bytes_are_a_loss_at_most(good: tuple[Path, bytes], raw: bytes) -> None:
    path, _ = good
    survives(path, raw)
    survives(path, MAGIC + raw)
