"""What engines tell of themselves, side by side."""

from kvtrace.differences import Fact, facts
from tests.unit.snapshots import engine


def told(**by_engine: dict[str, str]) -> dict[str, Fact]:
    engines = [
        engine(name, id=name, roles=name[0], facts=tuple(known.items()))
        for name, known in by_engine.items()
    ]
    return {fact.name: fact for fact in facts(engines)}


def test_what_must_be_alike_and_is_not_is_marked() -> None:
    found = told(P0={"block_size": "16"}, D0={"block_size": "32"})
    assert found["block_size"].differs
    assert found["block_size"].values == {"P0": "16", "D0": "32"}


def test_what_may_differ_is_not_marked() -> None:
    assert not told(P0={"blocks": "16"}, D0={"blocks": "32"})["blocks"].differs


def test_producers_among_themselves_may_differ() -> None:
    assert not told(P0={"block_size": "16"}, P1={"block_size": "32"})["block_size"].differs


def test_what_only_one_side_told_is_no_difference() -> None:
    assert not told(P0={"block_size": "16"}, D0={})["block_size"].differs


def test_what_one_looks_for_first_comes_first() -> None:
    known = {"zeta": "1", "lease": "2", "block_size": "16", "vllm_version": "0.32.0"}
    assert list(told(P0=known)) == ["vllm_version", "block_size", "lease", "zeta"]
