"""Readiness and writes."""

from kvtrace.model import Role
from kvtrace.signals.drafts import Draft
from kvtrace.signals.producer_phases import producer_phases
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import SECOND, Story


def drafts(story: Story, phase: str) -> list[Draft]:
    found = producer_phases(account_of(story, Role.PRODUCER))
    return [draft for draft in found if draft.phase == phase]


def matched() -> Story:
    story = Story().at(1, *samples.PRODUCER_FIRST).at(3, samples.registration_noticed())
    return story.at(4, samples.match_made(first="blocks", waited=3 * SECOND))


def test_readiness_lasts_from_the_first_of_both_until_they_meet() -> None:
    (draft,) = drafts(matched(), "readiness")
    assert draft.whole
    assert (draft.start, draft.end) == (SECOND, 4 * SECOND)
    assert draft.attributes["kvtrace.waited_for"] == "registration"
    assert draft.attributes["kvtrace.waited"] == 3 * SECOND
    assert [type(r.event).__name__ for r in draft.records] == [
        "BlocksQueued",
        "RegistrationNoticed",
        "MatchMade",
    ]


def test_blocks_that_meet_nothing_still_wait_for_the_registration() -> None:
    (draft,) = drafts(Story().at(1, *samples.PRODUCER_FIRST), "readiness")
    assert not draft.whole
    assert draft.attributes == {"kvtrace.waited_for": "registration"}


def test_what_was_noticed_after_the_match_is_no_part_of_it() -> None:
    (draft,) = drafts(matched().at(5, samples.registration_noticed(peer="late")), "readiness")
    assert len(draft.records) == 3


def posted(story: Story) -> Story:
    story.at(5, samples.write_posted(descriptors=4, prepare=1, post=2))
    return story.at(5.5, samples.write_started(took=SECOND))


def test_a_write_lasts_from_the_match_until_it_was_seen_to_have_landed() -> None:
    story = posted(matched())
    assert not drafts(story, "write")[0].whole
    (draft,) = drafts(story.at(7, samples.write_finished(transfer=9)), "write")
    assert draft.whole
    assert (draft.rank, draft.peer_rank) == (0, 0)
    assert (draft.start, draft.end) == (4 * SECOND, 7 * SECOND)
    assert draft.attributes["kvtrace.queued"] == SECOND // 2
    assert draft.attributes["kvtrace.size"] == 4096
    assert draft.attributes["kvtrace.transfer"] == 9
    assert draft.attributes["kvtrace.descriptors"] == 4


def test_an_attempt_that_was_put_off_is_not_the_one_that_posted() -> None:
    story = matched().at(4.5, samples.write_started(outcome="deferred", took=SECOND // 4))
    story = posted(story).at(7, samples.write_finished())
    (draft,) = drafts(story, "write")
    assert draft.attributes["kvtrace.queued"] == SECOND // 2


def test_a_write_that_failed_says_at_which_stage() -> None:
    story = posted(matched()).at(7, samples.write_failed(stage="transfer", error="bad handle"))
    (draft,) = drafts(story, "write")
    assert draft.whole
    assert (draft.error, draft.error_type) == ("bad handle", "write.failed.transfer")


def test_each_pair_of_ranks_has_a_write_of_its_own() -> None:
    story = matched()
    for peer in (0, 1):
        story.at(5, samples.write_posted(peer_rank=peer))
    assert [draft.peer_rank for draft in drafts(story, "write")] == [0, 1]
