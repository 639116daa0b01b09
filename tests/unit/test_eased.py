"""What was wrong, and is over."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.departed import SHOWN
from kvtrace.eased import Eased
from kvtrace.incident import incident
from kvtrace.moments import Moment
from kvtrace.monitor import conclude
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    blocks_released,
    lease_expired,
    process_started,
    receive_failed,
    registration_expired,
    request_admitted,
    request_finished,
    request_resumed,
    send_reported,
)
from tests.unit.story import CLOCK, SECOND, P, Story


def test_a_stall_that_is_over_is_told_with_its_cause_and_its_longest_wait() -> None:
    eased, story = Eased(), Story().at(0, *PRODUCER_FIRST)
    for second in (4, 6, 9):
        eased.follow(story.at(second).snapshot)
    last = story.at(10, lease_expired(), send_reported(), blocks_released()).snapshot
    eased.follow(last)
    (line,) = eased.lines(last)
    assert (line.cause, line.count) == (Cause.REGISTRATION_NEVER_CAME, 1)
    assert (line.longest, line.transfers) == (9 * SECOND, ("r1",))
    text = "\n".join(incident(last, [line]))
    assert "Nothing is wrong any more." in text
    assert "-  registration never came: 1 transfer waited 9.00 s" in text


def test_a_reason_that_was_known_outlives_a_moment_without_one() -> None:
    eased, story = Eased(), Story().at(0, *PRODUCER_FIRST)
    snapshot = story.at(9).snapshot
    eased.follow(snapshot)
    ((key, known),) = snapshot.diagnoses.items()
    unknown = msgspec.structs.replace(known, cause=Cause.UNEXPLAINED)
    eased.follow(msgspec.structs.replace(snapshot, diagnoses={key: unknown}))
    last = story.at(10, lease_expired(), send_reported(), blocks_released()).snapshot
    assert [line.worst for line in eased.lines(last)] == [known]


def test_what_waits_still_is_not_over() -> None:
    eased, story = Eased(), Story().at(0, *PRODUCER_FIRST).at(9)
    eased.follow(story.snapshot)
    assert eased.lines(story.snapshot) == ()


def test_where_nothing_stalled_nothing_is_told() -> None:
    eased, story = Eased(), Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    eased.follow(story.snapshot)
    assert eased.lines(story.snapshot) == ()


def test_what_was_known_before_a_client_gave_up_is_told_once() -> None:
    eased = Eased()
    story = Story().at(0, process_started(engine="P0"), by=P)
    story.at(0, *CONSUMER_FIRST).at(1, registration_expired(timeout=SECOND)).at(40)
    eased.follow(story.snapshot)
    known = story.diagnosis
    assert known is not None
    last = story.at(41, request_finished(status="FINISHED_ABORTED", parked=True)).at(60).snapshot
    eased.follow(last)
    (now,) = last.causes
    assert now.cause is Cause.ABORTED_BLOCKS_HELD
    assert now.worst.before is not None
    assert now.worst.before.cause is known.cause
    assert eased.lines(last) == ()


def followed(*causes: Cause) -> Eased:
    """One transfer that these were named for, one after the other."""
    eased, story = Eased(), Story().at(0, *PRODUCER_FIRST)
    for second, cause in enumerate(causes, 9):
        snapshot = story.at(second).snapshot
        ((key, known),) = snapshot.diagnoses.items()
        found = msgspec.structs.replace(known, cause=cause, since=second * SECOND)
        eased.follow(msgspec.structs.replace(snapshot, diagnoses={key: found}))
    return eased


def over(*causes: Cause) -> list[Cause]:
    story = Story().at(0, *PRODUCER_FIRST)
    last = story.at(20, lease_expired(), send_reported(), blocks_released()).snapshot
    return [line.cause for line in followed(*causes).lines(last)]


def test_a_later_cause_does_not_take_the_place_of_an_earlier_one() -> None:
    named = Cause.WRITE_NEVER_LANDS, Cause.COMPLETION_LOST, Cause.WRITE_NEVER_LANDS
    assert over(*named) == [Cause.WRITE_NEVER_LANDS, Cause.COMPLETION_LOST]
    assert over(*named[:2]) == [Cause.WRITE_NEVER_LANDS, Cause.COMPLETION_LOST]


def test_what_is_said_for_want_of_a_better_one_gives_way_to_it() -> None:
    weak = Cause.WATCHDOG_ONLY_LOGS, Cause.UNEXPLAINED
    assert over(*weak) == [Cause.WATCHDOG_ONLY_LOGS]
    assert over(Cause.ENGINE_FROZEN, *weak) == [Cause.ENGINE_FROZEN]


def test_a_past_cause_of_what_waits_still_is_told() -> None:
    eased = followed(Cause.WRITE_NEVER_LANDS)
    last = Story().at(0, *PRODUCER_FIRST).at(12).snapshot
    eased.follow(last)
    assert [line.cause for line in eased.lines(last)] == [Cause.WRITE_NEVER_LANDS]


def test_what_ended_with_its_cause_is_told_once_however_many_ended_since() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *CONSUMER_FIRST).at(4).dies(P).at(6)
    story.is_blamed_on(Cause.PRODUCER_DIED)
    story.at(10, receive_failed()).at(10.1, request_resumed(failed=True))
    story.at(12).is_blamed_on(Cause.PRODUCER_DIED)
    for number in range(SHOWN + 1):
        ident = f"x{number}"
        story.at(14, request_admitted(request=ident), request_resumed(request=ident))
    eased = Eased()
    last = conclude([*story.moments, Moment(20 * SECOND)], eased.follow, clock=CLOCK)
    assert last is not None
    assert "r1" not in {one.id for one in last.done}
    assert [(line.cause, line.ended) for line in last.causes] == [(Cause.PRODUCER_DIED, 1)]
    assert eased.lines(last) == ()
