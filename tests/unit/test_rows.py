"""One row for each transfer in flight."""

from kvtrace.model import Phase
from kvtrace.rows import row, worst_first
from kvtrace.standing import called, standing
from kvtrace.transfer import Transfer
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, request_admitted
from tests.unit.story import SECOND, Story


def test_a_row_counts_on_as_time_passes() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(3, *PRODUCER_FIRST)
    transfer, clocks = story.row.transfer, story.snapshot.clocks
    stands = standing(transfer, clocks, 3 * SECOND)
    made = row(transfer, stands, 5 * SECOND, 9 * SECOND)
    assert (made.phase, made.waited, made.age) == (Phase.REGISTRATION, 6 * SECOND, 9 * SECOND)
    assert made.stalled
    assert not row(transfer, stands, 5 * SECOND, 7 * SECOND).stalled


def test_a_clock_that_runs_ahead_makes_no_wait_negative() -> None:
    story = Story().at(5, *CONSUMER_FIRST)
    transfer, clocks = story.row.transfer, story.snapshot.clocks
    made = row(transfer, standing(transfer, clocks, 0), 1, 0)
    assert (made.waited, made.age) == (0, 0)


def test_a_transfer_is_called_by_its_base_id_unless_others_share_it() -> None:
    assert Story().at(0, *CONSUMER_FIRST).row.id == "r1"
    story = Story().at(0, request_admitted(request="r1-11111111"))
    story.at(1, request_admitted(request="r1-22222222"))
    assert {r.id for r in story.snapshot.rows} == {"r1", "r1-22222222"}
    assert called(Transfer(id="x")) == "x"


def test_the_worst_come_first() -> None:
    rows = Story().at(0, *CONSUMER_FIRST).at(1, request_admitted(request="z")).at(7).snapshot.rows
    assert worst_first(reversed(rows)) == rows
    assert [r.stalled for r in rows] == [True, False]
