"""Moments and records are plain values."""

import msgspec
import pytest

from kvtrace.model import SCHEDULER
from kvtrace.moments import Ended, Lost, Moment, Record
from tests.unit.samples import blocks_ready


def test_a_moment_without_news_only_says_that_time_passed() -> None:
    assert Moment(7).news is None


def test_nothing_is_lost_unless_it_is_said() -> None:
    lost = Lost(process="a")
    assert (lost.overwritten, lost.unreadable, lost.unknown, lost.ledger_full) == (0, 0, 0, 0)


def test_a_record_is_from_the_scheduler_unless_it_has_a_rank() -> None:
    record = Record(
        process="a", seq=1, at=1, wall=1, clock="c", engine="P0", role=None, event=blocks_ready()
    )
    assert record.rank == SCHEDULER


def test_what_was_recorded_cannot_be_changed() -> None:
    ended = Ended(process="a", goodbye=True)
    with pytest.raises(AttributeError):
        ended.goodbye = False  # type: ignore[misc]
    assert msgspec.structs.asdict(ended) == {"process": "a", "goodbye": True}
