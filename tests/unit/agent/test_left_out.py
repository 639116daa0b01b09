"""What spans do not tell is told in words."""

from kvtrace.agent.left_out import left_out
from kvtrace.signals.halves import Halves
from kvtrace.signals.sampling import Sampler


def test_where_nothing_is_missing_nothing_is_said() -> None:
    assert left_out(Halves(5), Sampler(1.0)) == ""


def test_each_reason_is_said_with_its_count() -> None:
    halves, sampler = Halves(5), Sampler(0.5)
    halves.late, halves.overlong, halves.forgotten, sampler.crowded = 3, 40, 2, 7
    assert left_out(halves, sampler) == (
        "spans leave something out that log records tell: 3 events came after their spans were "
        "made, 40 events were too many for one request, 2 requests were given up for room, "
        "7 spans found no room to wait"
    )
