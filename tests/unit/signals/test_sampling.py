"""Which spans are sent."""

from itertools import count
from typing import Any

import pytest

from kvtrace.identity import base_id
from kvtrace.signals.sampling import ENOUGH, MEMORY, SLOW, Sampler, Usual, keep
from kvtrace.signals.spans import STALL, TRANSFER, Span
from tests.unit import samples
from tests.unit.story import SECOND

OUTSIDE = next(f"r{n}" for n in count() if not keep(f"r{n}", 0.1))
INSIDE = next(f"r{n}" for n in count() if keep(f"r{n}", 0.1))


def span(name: str = "kvtrace.write", base: str = OUTSIDE, took: int = 5, **changes: Any) -> Span:
    own = base.encode() if name == TRANSFER else name.encode()
    attributes = {"kvtrace.join": base, **changes.pop("attributes", {})}
    said: dict[str, Any] = {"trace_id": b"t" * 16, "start": 9 * SECOND, "process": "a"}
    said |= {"end": 9 * SECOND + took, "engine": "P0", "trigger": ("a", 1)}
    return Span(
        name=name, span_id=own, root=base.encode(), attributes=attributes, **{**said, **changes}
    )


def root(base: str = OUTSIDE, outcome: str = "finished", took: int = 5, **changes: Any) -> Span:
    return span(TRANSFER, base, took, attributes={"kvtrace.outcome": outcome}, **changes)


def test_both_sides_decide_alike() -> None:
    mine, theirs = base_id(samples.P_REQUEST), base_id(samples.D_REQUEST)
    assert keep(mine, 0.5) == keep(theirs, 0.5)


def test_a_share_is_about_as_large_as_asked() -> None:
    kept = sum(keep(f"request-{n}", 0.1) for n in range(5000))
    assert 400 < kept < 600
    assert keep("any", 1)
    assert not keep("any", 0)


def test_a_half_in_the_share_passes_as_it_comes() -> None:
    sampler = Sampler(0.1)
    spans = [span(base=INSIDE), root(INSIDE)]
    assert sampler.sift(spans) == spans


def test_one_outside_is_dropped_as_a_whole_and_counted() -> None:
    sampler = Sampler(0.1)
    assert sampler.sift([span(), span("kvtrace.readiness", took=99 * SECOND), root()]) == []
    assert sampler.dropped == 3


@pytest.mark.parametrize(
    "telling",
    [
        span(STALL),
        span("kvtrace.handshake", error="no answer"),
        span("kvtrace.registration", took=SLOW),
    ],
    ids=lambda one: one.name,
)
def test_what_stalled_failed_or_was_slow_is_sent_with_all_of_its_half(telling: Span) -> None:
    sampler = Sampler(0)
    assert sampler.sift([span()]) == []
    assert sampler.sift([telling, root()]) == [span(), telling, root()]
    assert sampler.dropped == 0


@pytest.mark.parametrize("outcome", ["failed", "abandoned"])
def test_so_is_what_did_not_go_well(outcome: str) -> None:
    sampler = Sampler(0)
    assert sampler.sift([span(), root(outcome=outcome)]) == [span(), root(outcome=outcome)]


def test_so_is_what_took_longer_than_is_usual_on_its_link() -> None:
    sampler = Sampler(0)
    for number in range(ENOUGH):
        assert sampler.sift([root(f"x{number}", took=100 + number)]) == []
    assert sampler.sift([root(took=150)]) == []
    assert sampler.sift([root(took=5000)]) == [root(took=5000)]
    elsewhere = root(took=5000, engine="P1")
    assert sampler.sift([elsewhere]) == []


def test_what_is_usual_is_forgotten_after_some_minutes() -> None:
    usual = Usual()
    for number in range(ENOUGH):
        usual.learn(number, 100)
    assert usual.is_slow(101)
    usual.learn(MEMORY + ENOUGH, 100)
    assert not usual.is_slow(101)


def test_there_is_room_to_hold_back_so_many() -> None:
    sampler = Sampler(0)
    sampler.sift([span(base=f"x{number}") for number in range(20_001)])
    assert sampler.crowded == 1


def test_everything_passes_where_all_is_asked_for() -> None:
    assert Sampler(1).sift([span(), root()]) == [span(), root()]
