"""Copies share nothing that changes, and there are never many."""

from kvtrace.checkpoints import Checkpoint, Checkpoints, copied
from tests.tui import samples
from tests.unit.replays import BUSY, walk


def test_a_copy_does_not_change_when_what_it_was_made_of_does() -> None:
    walked = walk(BUSY, samples.BOOT)
    for _ in range(400):
        walked.take()
    kept = walked.checkpoint
    before = copied(kept.census).look(walked.at)
    while walked.ahead is not None:
        walked.take()
    assert copied(kept.census).look(kept.at) == before
    assert walked.look(walked.at) != before


def test_far_checkpoints_are_bounded_and_the_first_stays() -> None:
    kept = Checkpoints(apart=10, most=4)
    walked = walk(BUSY, samples.BOOT)
    kept.keep(walked.checkpoint)
    while walked.ahead is not None:
        walked.take()
        if kept.wants(walked.taken):
            kept.keep(walked.checkpoint)
    found = {one.taken for one in _every(kept, walked.taken)}
    assert 0 in found
    assert len(found) <= 4


def test_near_checkpoints_go_when_newer_ones_come() -> None:
    kept = Checkpoints(apart=10_000)
    walked = walk(BUSY, samples.BOOT)
    kept.keep(walked.checkpoint)
    for _ in range(9):
        walked.take()
        kept.keep_near(walked.checkpoint)
    nearest = kept.before(taken=9)
    assert nearest is not None
    assert nearest.taken == 9
    long_ago = kept.before(taken=5)
    assert long_ago is not None
    assert long_ago.taken == 0


def _every(kept: Checkpoints, upto: int) -> list[Checkpoint]:
    found = [kept.before(taken=taken) for taken in range(upto)]
    return [one for one in found if one is not None]
