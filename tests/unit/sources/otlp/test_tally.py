"""Counts that add up."""

from kvtrace.sources.otlp.tally import Tally


def test_counts_add_up() -> None:
    whole = Tally(records=1, events=1)
    whole.add(Tally(records=2, foreign=2, unreadable=1))
    assert whole == Tally(records=3, events=1, foreign=2, unreadable=1)
