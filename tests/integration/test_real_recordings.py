"""The kept recordings of real engines, against what the router saw of the same requests."""

from contextlib import closing
from pathlib import Path

import pytest
from lab.routed import read

from kvtrace.sources.recording import open_recording
from tests.life import Seen, check_push

RECORDINGS = Path(__file__).parents[2] / "examples" / "recordings"
KEPT = {"demo": (1, 1), "one-rank-to-two": (1, 2)}
"""Each recording with its engines' ranks, P and D."""


def seen_in(name: str) -> Seen:
    with closing(open_recording(RECORDINGS / f"{name}.kvtrace.gz")) as recording:
        return Seen(recording)


@pytest.mark.parametrize(("name", "ranks"), KEPT.items())
def test_every_answered_request_comes_out_whole(name: str, ranks: tuple[int, int]) -> None:
    seen = seen_in(name)
    answered = [
        one for one in read(RECORDINGS / f"{name}.router.jsonl") if one.outcome == "answered"
    ]
    assert len(answered) >= 4
    for one in answered[:-1]:  # the last one's end may lie after the recording's
        check_push(seen, one, ranks)


@pytest.mark.parametrize("name", KEPT)
def test_nothing_is_lost_or_joined_by_guess(name: str) -> None:
    snapshot = seen_in(name).snapshot
    losses = snapshot.losses
    counts = (losses.overwritten, losses.unreadable, losses.unknown, losses.ledger_full)
    assert (*counts, losses.forgotten, losses.ambiguous) == (0,) * 6
    assert snapshot.totals.failed == 0


def test_every_recording_that_is_kept_is_looked_at() -> None:
    assert {path.name.partition(".")[0] for path in RECORDINGS.glob("*.kvtrace.gz")} == set(KEPT)
