"""What is printed where there is no screen."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec

from kvtrace.model import Link, Mark, Outcome, Phase, Place, Role
from kvtrace.report import NO_ENGINE, Reporter, losses, place, status, table
from kvtrace.snapshot import Losses, Snapshot, Totals
from tests.unit.samples import PRODUCER_FIRST
from tests.unit.snapshots import SECOND, WALL, done, phase_line, row, snapshot
from tests.unit.story import Story


def said(*snapshots: Snapshot) -> list[str]:
    """Every line but its time, and but that of the date."""
    reporter = Reporter(UTC)
    lines = [line.split(" ", 1)[1] for one in snapshots for line in undated(reporter, one)]
    return lines


def undated(reporter: Reporter, one: Snapshot) -> list[str]:
    return [line for line in reporter.lines(one) if line.split()[1] != "date"]


def without_status(*snapshots: Snapshot) -> list[str]:
    return [line for line in said(*snapshots) if not line.startswith("status")]


def test_the_status_is_said_at_once_and_then_once_a_second() -> None:
    frames = [snapshot(tenth / 10, totals=Totals(finished=tenth)) for tenth in range(21)]
    lines = [line for line in said(*frames) if line.startswith("status")]
    assert [line.split("; ")[1].split(" ")[0] for line in lines] == ["0", "10", "20"]


def test_a_status_that_stays_is_said_every_ten_seconds() -> None:
    assert len(said(*(snapshot(second) for second in range(21)))) == 3


def test_the_status_tells_what_is_in_flight_and_what_ended() -> None:
    one = snapshot(
        rows=(row(), row("r2", stalled=True)),
        oldest=6 * SECOND,
        totals=Totals(waiting=1, stalled=1, finished=1234, failed=2, abandoned=3),
    )
    assert status(one) == (
        "2 in flight, 1 stalled, the oldest for 6.00 s; "
        "1,234 finished, 2 failed, 3 abandoned; nothing lost"
    )


def test_the_date_and_the_zone_are_said_first_and_when_either_changes() -> None:
    zone = ZoneInfo("Europe/Berlin")
    night = datetime(2026, 10, 24, 23, 59, 55, tzinfo=zone)
    wall = int(night.timestamp()) * SECOND
    reporter = Reporter(zone)
    frames = [
        msgspec.structs.replace(snapshot(after), wall=wall + after * SECOND)
        for after in (0, 11, 3 * 3600 + 6)
    ]
    lines = [line for one in frames for line in reporter.lines(one)]
    assert [line.split(maxsplit=2)[:2] for line in lines] == [
        ["23:59:55.000", "date"],
        ["23:59:55.000", "status"],
        ["00:00:06.000", "date"],
        ["00:00:06.000", "status"],
        ["02:00:01.000", "date"],
        ["02:00:01.000", "status"],
    ]
    assert [line[23:] for line in lines if " date " in line] == [
        "2026-10-24, times are UTC+02:00",
        "2026-10-25, times are UTC+02:00",
        "2026-10-25, times are UTC+01:00",
    ]


def test_what_others_sent_is_told_and_is_no_loss() -> None:
    some = Losses(foreign=1_200)
    assert status(snapshot(losses=some)).endswith(
        "nothing lost; 1,200 log records and spans not kvtrace's"
    )
    none_of_ours = snapshot(engines=(), losses=some)
    assert status(none_of_ours).endswith("Received: 1,200 log records and spans not kvtrace's.")
    assert list(table(none_of_ours)) == [status(none_of_ours)]


def test_where_the_time_of_day_is_not_known_no_date_is_made_up() -> None:
    lines = Reporter(UTC).lines(msgspec.structs.replace(snapshot(), wall=0))
    assert [line.split()[1] for line in lines] == ["status"]


def test_where_no_engine_is_heard_it_says_what_to_set() -> None:
    silent = [snapshot(second / 2, engines=()) for second in range(5)]
    assert said(*silent) == [f"status    {NO_ENGINE}"]
    assert "KVTRACE=1" in NO_ENGINE


def test_a_transfer_that_ended_is_said_once_with_its_own_time() -> None:
    reporter = Reporter()
    old = done(at=snapshot().at - SECOND)
    totals = Totals(finished=1)
    first = undated(reporter, snapshot(done=(old,), totals=totals))
    assert first[0].endswith("finished  r0 in 1.00 s, 4.1 kB, P0 -> D0: write 1.00 s")
    assert first[0][:12] != first[1][:12]
    assert list(reporter.lines(snapshot(0.1, done=(old,), totals=totals))) == []


def test_its_time_is_by_our_clock_whatever_the_engines_host_says() -> None:
    astray = Mark(at=1, wall=WALL + 3_600 * SECOND, clock="other", seen=1)
    (first, second) = undated(Reporter(), snapshot(done=(done(ended=astray, at=snapshot().at),)))
    assert "finished" in first
    assert first[:12] == second[:12]


def test_how_it_ended_is_the_first_word() -> None:
    lines = without_status(
        snapshot(
            totals=Totals(failed=1, abandoned=1),
            done=(done("r2", outcome=Outcome.ABANDONED), done("r1", outcome=Outcome.FAILED)),
        )
    )
    assert [line.split()[:2] for line in lines] == [["failed", "r1"], ["abandoned", "r2"]]


def test_an_outcome_that_changes_is_said_again() -> None:
    lines = without_status(
        snapshot(done=(done("r1", outcome=Outcome.ABANDONED),), totals=Totals(abandoned=1)),
        snapshot(1, done=(done("r1"),), totals=Totals(finished=1)),
    )
    assert [line.split()[0] for line in lines] == ["abandoned", "finished"]


def test_more_than_the_snapshot_lists_are_counted() -> None:
    lines = without_status(
        snapshot(), snapshot(0.1, totals=Totals(finished=500), done=(done("r1"),))
    )
    assert lines[1] == "ended     499 more, too many to list"


def test_a_stall_is_said_when_it_begins_and_when_it_is_over() -> None:
    stalled = row(stalled=True, waited=6 * SECOND)
    lines = without_status(
        snapshot(rows=(row(),)),
        snapshot(1, rows=(stalled,)),
        snapshot(2, rows=(stalled,)),
        snapshot(3, rows=(row(phase=Phase.WRITE),)),
    )
    assert lines == [
        "stalled   r1 in readiness for 6.00 s, waits for P0 scheduler, P0 -> D0",
        "unstuck   r1 after stalling in readiness",
    ]


def test_a_stall_in_the_next_phase_is_a_new_one() -> None:
    lines = without_status(
        snapshot(rows=(row(stalled=True),)),
        snapshot(1, rows=(row(stalled=True, phase=Phase.WRITE),)),
    )
    assert [line.split()[0] for line in lines] == ["stalled", "unstuck", "stalled"]


def test_a_stalled_transfer_that_ends_is_said_to_have_ended_only() -> None:
    lines = without_status(
        snapshot(rows=(row(stalled=True),)),
        snapshot(1, done=(done("r1"),), totals=Totals(finished=1)),
    )
    assert [line.split()[0] for line in lines] == ["stalled", "finished"]


def test_losses_are_named() -> None:
    assert losses(Losses()) == "nothing lost"
    assert (
        losses(Losses(overwritten=4096, unknown=2)) == "lost: 4,096 overwritten, 2 of a newer kind"
    )


def test_an_id_from_outside_cannot_break_a_line() -> None:
    lines = without_status(snapshot(rows=(row("a\x1b[31m\nb", stalled=True),)))
    assert "\x1b" not in lines[0]
    assert "\n" not in lines[0]


def test_a_side_not_heard_of_is_a_question_mark() -> None:
    lines = without_status(
        snapshot(rows=(row(stalled=True, waits_for=None, link=Link("", "decode-0")),))
    )
    assert lines == ["stalled   r1 in readiness for 1.00 s, ? -> D0"]


def test_a_place_is_a_scheduler_or_a_rank() -> None:
    assert place(Place("x", Role.CONSUMER), {"x": "D0"}) == "D0 scheduler"
    assert place(Place("x", Role.CONSUMER, 3), {}) == "x rank 3"
    assert place(Place("", Role.CONSUMER), {}) == "D scheduler"


def test_the_table_shows_phases_transfers_and_engines() -> None:
    one = snapshot(
        rows=(row(stalled=True, ranks=(1, 2)),),
        done=(done(),),
        phases=(phase_line(Phase.WRITE, waiting=3, p50=SECOND, p99=2 * SECOND, rate=1.5),),
    )
    text = "\n".join(table(one))
    for part in ("write", "1.00 s", "2.00 s", "1.50/s", "1/2", "P0 scheduler", "P0 -> D0", "alive"):
        assert part in text


def test_the_table_of_nothing_says_what_to_set() -> None:
    assert list(table(snapshot(engines=()))) == [NO_ENGINE]


def test_columns_stand_under_each_other() -> None:
    lines = list(table(snapshot(rows=(row(), row("r2", waited=100 * SECOND)))))
    start = lines.index("In flight")
    assert len({line.index("readiness") for line in lines[start + 2 : start + 4]}) == 1


def test_the_last_status_is_said_unless_it_was() -> None:
    reporter = Reporter()
    assert list(reporter.lines(snapshot(0)))
    assert list(reporter.last(snapshot(0.1))) == []
    [line] = reporter.last(snapshot(0.2, rows=(row(),)))
    assert "1 in flight" in line


def test_a_stall_is_told_with_its_cause_and_again_only_when_that_changes() -> None:
    reporter = Reporter()
    story = Story().at(0, *PRODUCER_FIRST)
    told = [line for at in (6, 7, 8) for line in reporter.lines(story.at(at).snapshot)]
    because = [line for line in told if " because " in line]
    assert len(because) == 1
    assert because[0].endswith(
        "r1: registration never came: "
        "P0 has held the blocks for 6.00 s; no D has told it where to write."
    )
    assert "registration never came" in "".join(table(story.snapshot))
