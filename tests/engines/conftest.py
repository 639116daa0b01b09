"""Real engines for the tests: one pair shared by all, and others for as long as one is needed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "examples"))

if find_spec("vllm") is None:
    collect_ignore_glob = ["test_*.py"]
else:  # the router needs aiohttp, which comes with vLLM
    from lab.engine import await_ready
    from lab.pair import Pair, Wish, started
    from lab.run import fresh

START = 600
"""Seconds a test may take: the first one of a pair pays for its start, on a busy machine too."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("engines")
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(START))


class Pairs:
    """Makes pairs of engines; at most one pair at a time has the cores."""

    def __init__(self) -> None:
        self.shared: Pair | None = None

    @contextmanager
    def __call__(self, **wish: object) -> Iterator["Pair"]:
        """Start a pair in a run of its own, wait until it is ready, and end it with the block."""
        with self.others_frozen(), fresh() as run, started(run, Wish(**wish)) as pair:
            await_ready(pair.engines, timeout=START / 2)
            yield pair

    @contextmanager
    def others_frozen(self) -> Iterator[None]:
        """Let the shared pair stand still while something else needs the cores."""
        if self.shared is not None:
            self.shared.freeze()
        try:
            yield
        finally:
            if self.shared is not None:
                self.shared.thaw()


@pytest.fixture(scope="session")
def pairs() -> Pairs:
    """Start another pair for a while: `with pairs(tp_consumer=2, traced=False) as pair: ...`."""
    return Pairs()


@pytest.fixture
def cores(pairs: Pairs) -> Iterator[None]:
    """Have the cores for a test that starts engines by itself."""
    with pairs.others_frozen():
        yield


@pytest.fixture(scope="session")
def pair(pairs: Pairs) -> "Iterator[Pair]":
    """Two traced engines, TP 1 to TP 1, and their router: shared, so leave them as they were."""
    with pairs() as shared:
        pairs.shared = shared
        yield shared
        pairs.shared = None
