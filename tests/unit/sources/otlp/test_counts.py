"""What the receiver counts, and what of it is a loss."""

from kvtrace.moments import Lost
from kvtrace.sources.otlp.counts import SELDOM, Counts
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.refusal import Reason
from kvtrace.sources.otlp.tally import Tally


def test_each_loss_is_told_once() -> None:
    counts = Counts()
    assert counts.lost(0) is None
    counts.refuse(Reason.FULL)
    counts.refuse(Reason.MALFORMED)
    counts.received.add(Tally(unreadable=3, unknown=1))
    assert counts.lost(0) == Lost(turned_away=2, unreadable=3, unknown=1)
    assert counts.lost(0) is None
    counts.refuse(Reason.FULL)
    assert counts.lost(0) == Lost(turned_away=1)


def test_what_is_not_ours_is_told_at_most_once_a_second_and_in_the_end() -> None:
    counts = Counts()
    counts.received.add(Tally(foreign=3))
    assert counts.lost(0) == Lost(foreign=3)
    counts.received.add(Tally(foreign=4))
    assert counts.lost(SELDOM - 1) is None
    assert counts.lost(SELDOM) == Lost(foreign=4)
    counts.received.add(Tally(foreign=5))
    assert counts.lost(SELDOM + 1, last=True) == Lost(foreign=5)


def test_asking_for_a_wrong_path_is_no_loss() -> None:
    counts = Counts()
    counts.refuse(Reason.NOT_FOUND)
    assert counts.lost(0) is None


def test_health_tells_each_count_by_name() -> None:
    counts = Counts()
    counts.requests[Signal.LOGS] += 2
    counts.refuse(Reason.FULL)
    told = counts.as_json()
    assert told["requests"] == {"traces": 0, "logs": 2, "metrics": 0}
    assert told["refused"] == {"full": 1}
