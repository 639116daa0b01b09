"""Registrations and completions."""

from kvtrace.signals.consumer_phases import consumer_phases
from kvtrace.signals.drafts import Draft
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import SECOND, Story

STAGED = samples.CONSUMER_FIRST[:4]


def drafts(story: Story, ranks: int = 0) -> list[Draft]:
    return list(consumer_phases(account_of(story, ranks=ranks)))


def sending(story: Story, rank: int, *peers: int) -> Story:
    story.at(2 + rank, samples.registration_queued(), rank=rank)
    for peer in peers:
        story.at(2.5 + rank, samples.registration_sent(peer_rank=peer), rank=rank)
    return story


def test_a_registration_is_whole_when_every_rank_has_sent() -> None:
    story = sending(Story().at(1, *STAGED), 0, 0)
    assert drafts(story)[0].whole
    assert not drafts(story, ranks=2)[0].whole
    (draft,) = drafts(sending(story, 1, 0), ranks=2)
    assert draft.whole
    assert (draft.start, draft.end) == (SECOND, round(3.5 * SECOND))
    assert draft.attributes["kvtrace.ranks"] == 2
    assert draft.attributes["kvtrace.blocks"] == 7


def test_a_rank_with_several_targets_has_to_send_to_each() -> None:
    staged = [samples.request_admitted(tp_size=2), *STAGED[1:]]
    assert not drafts(sending(Story().at(1, *staged), 0, 0), ranks=1)[0].whole
    (draft,) = drafts(sending(Story().at(1, *staged), 0, 0, 1), ranks=1)
    assert draft.whole
    assert draft.attributes["kvtrace.messages"] == 2


def test_one_that_could_not_be_sent_says_why() -> None:
    story = Story().at(1, *STAGED).at(2, samples.registration_queued())
    (draft,) = drafts(story.at(3, samples.registration_send_failed(error="gone")))
    assert draft.whole
    assert (draft.error, draft.error_type) == ("gone", "registration.send_failed")


def test_without_the_scheduler_s_word_a_registration_is_not_whole() -> None:
    story = sending(Story().at(1, STAGED[0]), 0, 0)
    assert not drafts(story)[0].whole


def test_a_completion_counts_up_to_what_it_needs_and_tells_the_delay_of_the_step() -> None:
    story = Story().at(1, samples.notification_noticed(peer_rank=0))
    story.at(2, samples.notification_noticed(peer_rank=1))
    story.at(5, samples.completion_counted(count=2, needed=2))
    assert not drafts(story)[0].whole
    (draft,) = drafts(story.at(6, samples.receive_reported()))
    assert draft.whole
    assert (draft.start, draft.end) == (SECOND, 6 * SECOND)
    assert draft.attributes == {
        "kvtrace.count": 2,
        "kvtrace.needed": 2,
        "kvtrace.step_delay": 3 * SECOND,
    }


def test_a_rank_whose_share_will_not_come_needs_no_more() -> None:
    (draft,) = drafts(Story().at(1, samples.receive_reported(failed=True)))
    assert draft.whole
    assert draft.error_type == "receive.failed"
