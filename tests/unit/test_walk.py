"""What is known at a moment of a recording is what was known then."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace.checkpoints import Checkpoints
from kvtrace.moments import Moment
from kvtrace.monitor import watch
from kvtrace.snapshot import Snapshot
from tests.tui import samples
from tests.unit.moments import START, WALL, streams
from tests.unit.replays import BUSY, length, player, walk


def played(moments: list[Moment], upto: int, *, clock: str = "boot") -> Snapshot:
    """What is known when one begins at the beginning and looks at every tenth of a second."""
    walked = walk(moments, clock)
    seen = START
    while walked.ahead is not None and walked.ahead.at <= upto:
        walked.take()
        if walked.at >= seen:
            walked.look(walked.at)
            seen = walked.at + samples.S // 10
    return walked.look(upto)


def test_walking_to_the_end_is_watching() -> None:
    *_, last = watch(BUSY, clock=samples.BOOT)
    walked = walk(BUSY, samples.BOOT)
    while walked.ahead is not None:
        walked.take()
    found = walked.look(walked.at)
    assert found.wall == WALL + found.at - START
    assert msgspec.structs.replace(found, wall=last.wall) == last


@given(streams(), st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_going_to_a_moment_shows_what_playing_up_to_it_shows(
    moments: list[Moment], shares: list[float]
) -> None:
    went, _ = player(moments)
    for share in shares:
        at = START + round(share * length(moments))
        assert went.go_to(at)
        assert went.look(at) == played(moments, at)


@settings(max_examples=12)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_so_it_does_amid_traffic(shares: list[float]) -> None:
    kept = Checkpoints(apart=40, most=6)
    went, _ = player(BUSY, kept=kept, clock=samples.BOOT)
    for share in shares:
        at = START + round(share * length(BUSY))
        assert went.go_to(at)
        assert went.look(at) == played(BUSY, at, clock=samples.BOOT)
