"""What each cause was named for, now and since we began."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import CauseLine, Diagnosis
from kvtrace.diagnosis.tally import Tally
from kvtrace.model import Link
from kvtrace.snapshot import Done
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    blocks_ready,
    prefill_admitted,
    process_started,
    receive_failed,
    registration_noticed,
)
from tests.unit.story import SECOND, D, P, Story


def lines(story: Story) -> dict[Cause, CauseLine]:
    return {line.cause: line for line in story.snapshot.causes}


def test_stalled_transfers_with_one_cause_are_one_line() -> None:
    story = Story()
    for number in range(3):
        story.at(number, prefill_admitted(request=f"q{number}-aaaaaaaa"))
        story.at(number, blocks_ready(request=f"q{number}-aaaaaaaa"))
    line = lines(story.at(10))[Cause.REGISTRATION_NEVER_CAME]
    assert (line.stalled, line.ended, line.count) == (3, 0, 3)
    assert (line.since, line.oldest, line.last) == (0, 10 * SECOND, 10 * SECOND)
    assert (line.links, line.engines) == ((Link("P0", ""),), ("P0",))
    assert line.transfers == ("q0", "q1", "q2")
    assert line.worst.transfer == "q0"


def test_what_is_true_now_comes_before_what_is_over() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(1, blocks_ready(held=False, status="error"), receive_failed())
    story.at(2, prefill_admitted(request="q-aaaaaaaa"), blocks_ready(request="q-aaaaaaaa")).at(9)
    first, second = story.snapshot.causes
    assert (first.cause, first.stalled) == (Cause.REGISTRATION_NEVER_CAME, 1)
    assert (second.cause, second.stalled, second.ended) == (Cause.PREFILL_FAILED, 0, 1)
    assert second.oldest is None


CORE = {"cpus": "0"}
ONE_CORE = [
    (process_started(engine="P0", facts=CORE), P),
    (process_started(engine="D0", facts=CORE), D),
]


def shared() -> Story:
    story = Story()
    for event, by in ONE_CORE:
        story.at(0, event, by=by)
    return story


def test_what_only_could_be_slow_comes_after_all_that_happened() -> None:
    story = shared().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(1, blocks_ready(held=False, status="error"), receive_failed())
    first, last = story.snapshot.causes
    assert (first.cause, first.ended, first.is_hint) == (Cause.PREFILL_FAILED, 1, False)
    assert (last.cause, last.is_hint) == (Cause.ONE_CORE_FOR_KV, True)
    assert (last.stalled, last.on_engines, last.waiting) == (2, 2, 0)


def test_what_waits_comes_before_what_failed_more_often_and_slow_ones_last() -> None:
    found = Story().at(0, *PRODUCER_FIRST).at(9).diagnosis
    assert found is not None
    row, tally = Story().at(0, *PRODUCER_FIRST).at(9).row, Tally()
    often = {Cause.SLOW: 3, Cause.BATCH_LOST: 1, Cause.SEND_NEVER_REPORTED: 4}
    for cause, times in {**often, Cause.PREFILL_FAILED: 2}.items():
        for _ in range(times):
            tally.ended(ended(msgspec.structs.replace(found, cause=cause)), 0)
    lines = tally.lines([row], {row.transfer.id: found}, ())
    assert [line.cause for line in lines] == [
        Cause.REGISTRATION_NEVER_CAME,
        Cause.PREFILL_FAILED,
        Cause.BATCH_LOST,
        Cause.SEND_NEVER_REPORTED,
        Cause.SLOW,
    ]


def ended(diagnosis: Diagnosis) -> Done:
    done = Story().at(0, *WHOLE).at(1).snapshot.done[0]
    return msgspec.structs.replace(done, diagnosis=diagnosis)


def test_a_healthy_fleet_has_no_line() -> None:
    assert Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(1).snapshot.causes == ()
