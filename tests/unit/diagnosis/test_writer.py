"""Stories of the writer thread: what it dropped, and what it did too late."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    blocks_queued,
    blocks_ready,
    match_made,
    prefill_admitted,
    registration_noticed,
    step_sampled,
    write_posted,
    write_started,
    writer_failed,
)
from tests.unit.story import SECOND, P, Story

POISON = {"request": "r9-aaaaaaaa", "remote_request": "r9-bbbbbbbb"}
CHOKED = writer_failed(request="r9-aaaaaaaa", seam="start write", error_type="KeyError")


def poisoned(first: str = "blocks", at: float = 0.2) -> Story:
    """The other request, of nobody that we hear, meets its blocks and the writer chokes."""
    story = Story().at(0, prefill_admitted(request="r9-aaaaaaaa"))
    story.at(0, blocks_ready(request="r9-aaaaaaaa"), blocks_queued(request="r9-aaaaaaaa"))
    story.at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(at, match_made(**POISON, first=first))
    return story.at(at, CHOKED, by=P)


def test_a_registration_in_a_batch_with_a_poisoned_one_is_lost_with_it() -> None:
    story = poisoned().at(9)
    assert story.diagnoses()["r1"] is Cause.BATCH_LOST


def test_what_was_sent_after_the_writer_choked_was_in_another_batch() -> None:
    story = poisoned(at=0.05).at(9)
    assert story.diagnoses().get("r1") is not Cause.BATCH_LOST


def test_what_was_sent_long_before_was_in_another_batch() -> None:
    story = poisoned(at=4).at(9)
    assert story.diagnoses().get("r1") is not Cause.BATCH_LOST


def test_a_write_that_set_out_for_its_blocks_chokes_outside_of_any_batch() -> None:
    story = poisoned(first="registration").at(9)
    assert story.diagnoses().get("r1") is not Cause.BATCH_LOST


def test_a_registration_that_was_noticed_is_not_lost() -> None:
    story = poisoned().at(0.3, registration_noticed()).at(9)
    assert story.diagnoses().get("r1") is not Cause.BATCH_LOST


def test_a_registration_that_itself_cannot_be_taken_loses_the_others() -> None:
    story = Story().at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(0.2, writer_failed(seam="take registration", error_type="KeyError"), by=P)
    story.at(9).is_blamed_on(Cause.BATCH_LOST, "(KeyError), 100 ms after D0 sent this one")
    story.is_sure()


def choked(consumer: str) -> Story:
    story = Story().at(0, *PRODUCER_FIRST).at(0.2, registration_noticed(consumer=consumer))
    story.at(0.2, match_made(consumer=consumer))
    failed = writer_failed(request="r1-aaaaaaaa", seam="start write", error_type="KeyError")
    return story.at(0.2, failed, by=P).at(9)


def test_a_registration_that_names_no_consumer_is_the_poison_itself() -> None:
    choked("").is_blamed_on(Cause.BATCH_LOST, "names no consumer (KeyError)").is_sure()


def test_a_registration_of_a_known_consumer_is_not_poison() -> None:
    choked("D0").is_blamed_on(Cause.WRITE_NOT_POSTED)


def test_where_events_of_the_producer_were_lost_a_lost_batch_is_unsure() -> None:
    story = Story().at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(0.2, writer_failed(seam="take registration"), by=P)
    story.hears(Lost(process="P0/0", overwritten=1))
    story.at(9).is_blamed_on(Cause.BATCH_LOST).is_unsure("events of P0 were lost")


def test_a_writer_that_comes_late_to_what_is_all_there_is_starved() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(0.1, registration_noticed()).at(1, *PRODUCER_FIRST)
    story.at(4, match_made(first="registration"), write_posted(), write_started())
    story.at(4.1, *LANDING).has_ended(Outcome.FINISHED)
    story.is_blamed_on(Cause.WRITER_STARVED, "its writer came to them 3.00 s later").is_sure()


def test_a_writer_that_does_not_look_for_messages_while_blocks_wait_is_starved() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(1, *CONSUMER_FIRST)
    story.at(4, registration_noticed(gap=4 * SECOND), match_made(), write_posted())
    story.at(4.1, *LANDING).is_blamed_on(Cause.WRITER_STARVED)


def test_a_writer_that_looked_in_between_is_not() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(1, *CONSUMER_FIRST)
    story.at(4, registration_noticed(gap=SECOND // 1000), match_made(), write_posted())
    story.at(4.1, *LANDING).is_not_blamed_on(Cause.WRITER_STARVED)


def test_a_writer_that_posts_others_meanwhile_is_busy() -> None:
    story = Story().at(0, prefill_admitted(request="r9-aaaaaaaa"), blocks_ready(**WHO))
    story.at(0, *CONSUMER_FIRST).at(0.1, registration_noticed()).at(1, *PRODUCER_FIRST)
    story.at(3.9, write_posted(**POISON, post=2 * SECOND))
    story.at(4, match_made(first="registration"), write_posted(), write_started())
    story.at(4.1, *LANDING)
    assert story.diagnoses().get("r1") is not Cause.WRITER_STARVED


def test_blocks_that_come_late_do_not_starve_the_writer() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(0.1, registration_noticed()).at(4, *PRODUCER_FIRST)
    story.at(4.1, match_made(first="registration"), write_posted(), write_started(), *LANDING)
    story.is_not_blamed_on(Cause.WRITER_STARVED)


WHO = {"request": "r9-aaaaaaaa"}


def busy(*loops: int) -> Story:
    """The registration was sent, and P makes steps in which its writer goes so many rounds."""
    story = Story().at(0, step_sampled(loops=40), by=P).at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for second, count in enumerate(loops, 2):
        story.at(second, step_sampled(window=SECOND * 8 // 10, steps=9, loops=count), by=P)
    return story.at(7)


def test_a_registration_waits_for_a_writer_that_goes_no_round_while_steps_go_on() -> None:
    busy(1, 0, 0, 0).is_blamed_on(
        Cause.WRITER_STARVED, "its writer has taken in no messages for 5.00 s at least"
    )


def test_a_registration_that_was_noticed_waits_for_such_a_writer_too() -> None:
    story = Story().at(0, step_sampled(loops=40), by=P).at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(0.2, registration_noticed())
    for second in (2, 4, 6):
        story.at(second, step_sampled(window=SECOND * 17 // 10, steps=2), by=P)
    story.at(7).is_blamed_on(Cause.WRITER_STARVED, "waits for it")


def test_a_registration_that_was_noticed_before_there_are_blocks_waits_for_no_writer() -> None:
    story = Story().at(0, step_sampled(loops=40), by=P).at(0.1, *CONSUMER_FIRST, prefill_admitted())
    story.at(0.2, registration_noticed())
    for second in range(2, 40, 2):
        story.at(second, step_sampled(window=SECOND * 17 // 10, steps=2), by=P)
    story.at(40).is_not_blamed_on(Cause.WRITER_STARVED)


def test_a_registration_waits_for_a_writer_that_goes_a_round_in_seconds() -> None:
    story = Story().at(0, step_sampled(loops=40), by=P).at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for second, count in ((2, 0), (4, 0), (6, 1)):
        story.at(second, step_sampled(window=SECOND * 18 // 10, steps=2, loops=count), by=P)
    story.at(7).is_blamed_on(Cause.WRITER_STARVED, "took in messages hardly ever in 6.80 s")


def test_a_writer_that_goes_its_rounds_is_not_behind() -> None:
    busy(1, 0, 3, 0).is_not_blamed_on(Cause.WRITER_STARVED)


def test_where_rounds_are_not_counted_no_writer_is_behind() -> None:
    story = Story().at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for second in (2, 3, 4, 5):
        story.at(second, step_sampled(window=SECOND * 8 // 10, steps=9), by=P)
    story.at(7).is_not_blamed_on(Cause.WRITER_STARVED)


def lasting(until: float) -> Story:
    """P's writer comes to the registrations of later ones, in one round, and not yet to r1's."""
    story = Story().at(0, step_sampled(loops=40), by=P)
    story.at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for number in range(8):
        name = {"request": f"other{number}-aaaaaaaa"}
        story.at(0.15, prefill_admitted(**name), blocks_ready(**name), blocks_queued(**name))
    for number in range(8):
        name = {"request": f"other{number}-aaaaaaaa", "remote_request": f"other{number}-bbbbbbbb"}
        met = registration_noticed(**name), match_made(**name), write_posted(**name)
        story.at(0.2 + number * until / 8, *met)
    return story


def test_a_registration_waits_for_a_writer_that_is_in_one_round_for_seconds() -> None:
    story = lasting(6).at(7)
    assert story.diagnoses()["r1"] is Cause.WRITER_STARVED


def test_a_registration_that_the_writer_comes_to_last_in_such_a_round_waited_for_it() -> None:
    story = lasting(6).at(6.5, registration_noticed()).at(11.6)
    assert story.diagnoses()["r1"] is Cause.WRITER_STARVED


def test_a_writer_that_began_another_round_since_has_lost_the_registration() -> None:
    story = lasting(6).at(6.5, step_sampled(window=SECOND // 10, loops=40), by=P).at(9)
    assert story.diagnoses()["r1"] is not Cause.WRITER_STARVED


def test_a_round_that_was_over_in_time_makes_nobody_wait() -> None:
    assert lasting(1).at(7).diagnoses()["r1"] is not Cause.WRITER_STARVED
