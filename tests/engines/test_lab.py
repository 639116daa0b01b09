"""Some scenarios of the lab, on real engines: what was broken is named, and nothing else."""

from lab.healthy import run
from lab.play import play_all
from lab.scenario import chosen

from kvtrace.causes import Cause

NAMES = (
    "healthy-load",
    "completion-dropped",
    "decode-dropped",
    "prefill-aborted",
    "prefill-dropped",
    "registration-unsendable",
    "write-not-posted-post",
)


def test_what_was_broken_is_named(cores: None) -> None:
    results = list(play_all(chosen(NAMES), print))
    assert [one.name for one in results if not one.passed] == []
    assert {one.name for one in results} == set(NAMES)


OF_TOO_FEW_CORES = {Cause.WRITER_STARVED, Cause.SLOW}
"""True of a burst where engines, router and tests share two cores: NIXL may take one write for so
long that P stands still, and the first burst after steady requests takes longer than is usual."""


def test_nothing_is_named_for_healthy_requests(cores: None) -> None:
    tally = run(20, print)
    assert tally.transfers > 100
    assert set(tally.named) <= OF_TOO_FEW_CORES
