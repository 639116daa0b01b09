"""What is still to come, and who has to make it."""

from kvtrace.missing import consumer_name, missing, producer_name, waits_for
from kvtrace.model import Place, Role
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    blocks_queued,
    match_made,
    registration_noticed,
    request_admitted,
)
from tests.unit.story import Story


def due(story: Story) -> list[tuple[str, str]]:
    transfer = story.row.transfer
    return [
        (step.place.engine if step.place else "?", step.name)
        for step in missing(transfer, story.snapshot.clocks)
    ]


def test_each_step_of_a_healthy_transfer_is_missed_until_it_comes() -> None:
    """What holds up all others is never a step that has come."""
    story = Story()
    for second, event in enumerate(WHOLE[:-1]):
        story.at(second, event)
        came = {key[0] for half in halves(story) for key in half}
        names = [name for _, name in due(story)]
        assert names[-1] in ("request.resumed", "blocks.released")
        assert not came & set(names)


def halves(story: Story) -> list[dict[tuple[str, str, int, int, int], object]]:
    transfer = story.row.transfer
    return [dict(h.told) for h in (transfer.producer, transfer.consumer) if h is not None]


def test_only_the_first_missing_step_is_waited_for() -> None:
    story = Story().at(0, *CONSUMER_FIRST)
    assert due(story)[0] == ("P0", "blocks.ready")
    transfer = story.row.transfer
    assert waits_for(transfer, story.snapshot.clocks) == Place("P0", Role.PRODUCER)


def test_a_rank_is_named_once_it_has_the_work() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:4])
    assert due(story)[0] == ("D0", "registration.queued")
    story.at(1, CONSUMER_FIRST[4])
    assert due(story)[0] == ("D0", "registration.sent")
    assert story.row.waits_for == Place("D0", Role.CONSUMER, 0)


def test_a_producer_that_has_both_has_to_match_them() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    assert due(story)[0] == ("P0", "match.made")


def test_a_match_has_to_be_followed_by_a_write() -> None:
    story = Story().at(0, *PRODUCER_FIRST, match_made())
    assert due(story)[0] == ("P0", "write.posted")
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    assert due(story)[0] == ("P0", "write.finished")


def test_a_consumer_that_nobody_named_is_not_guessed() -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    assert due(story)[0] == ("?", "registration.noticed")


def test_engines_are_named_by_whichever_half_speaks_of_them() -> None:
    transfer = Story().at(0, request_admitted()).row.transfer
    assert (producer_name(transfer), consumer_name(transfer)) == ("P0", "D0")
    transfer = Story().at(0, blocks_queued(), match_made()).row.transfer
    assert (producer_name(transfer), consumer_name(transfer)) == ("P0", "D0")
    assert producer_name(Transfer(id="x")) == consumer_name(Transfer(id="x")) == ""


def test_nothing_is_missing_once_it_is_over() -> None:
    done = Story().at(0, *WHOLE).done
    assert missing(done.transfer, Story().at(0).snapshot.clocks) == ()
