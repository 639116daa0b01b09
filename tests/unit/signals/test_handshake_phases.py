"""Handshakes."""

from kvtrace.moments import Record
from kvtrace.signals.drafts import Draft
from kvtrace.signals.handshake_phases import Asked, handshake_phases, key_of, remember
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import SECOND, Story


def drafts(story: Story, beginnings: Asked | None = None) -> list[Draft]:
    return list(handshake_phases(account_of(story), beginnings or {}))


def test_a_handshake_lasts_from_when_it_was_asked_for_until_its_answer() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST[:4])
    story.at(2, samples.handshake_started(waited=SECOND // 2, host="10.0.0.1", port=5600))
    assert not drafts(story)[0].whole
    (draft,) = drafts(story.at(3, samples.handshake_finished(round_trip=7, clock_offset=-5)))
    assert draft.whole
    assert (draft.start, draft.end) == (round(1.5 * SECOND), 3 * SECOND)
    assert draft.attributes["server.address"] == "10.0.0.1"
    assert draft.attributes["server.port"] == 5600
    assert draft.attributes["kvtrace.round_trip"] == 7
    assert draft.attributes["kvtrace.clock_offset"] == -5
    assert draft.parent != b""


def test_one_whose_beginning_was_told_in_nobody_s_name_finds_it() -> None:
    began = Story().at(2, samples.handshake_started(request="", waited=SECOND)).moments[0].news
    assert isinstance(began, Record)
    story = Story().at(1, *samples.CONSUMER_FIRST[:4]).at(3, samples.handshake_finished())
    assert not drafts(story)[0].whole
    (draft,) = drafts(story, {key_of(began): began})
    assert draft.start == SECOND
    assert draft.whole


def test_without_its_beginning_it_began_as_long_ago_as_it_took() -> None:
    (draft,) = drafts(Story().at(3, samples.handshake_finished(took=SECOND)))
    assert (draft.start, draft.end) == (2 * SECOND, 3 * SECOND)


def test_one_that_failed_says_why() -> None:
    story = Story().at(2, samples.handshake_started())
    (draft,) = drafts(story.at(3, samples.handshake_failed(error="no answer", error_type="Again")))
    assert (draft.error, draft.error_type) == ("no answer", "Again")
    assert drafts(Story().at(3, samples.handshake_failed()))[0].error_type == "handshake.failed"


def test_a_second_attempt_is_another_handshake() -> None:
    story = Story().at(2, samples.handshake_failed()).at(3, samples.handshake_failed(ordinal=1))
    assert [draft.ordinal for draft in drafts(story)] == [0, 1]


def test_beginnings_are_kept_up_to_a_limit() -> None:
    kept: Asked = {}
    for ordinal in range(5):
        news = Story().at(1, samples.handshake_started(ordinal=ordinal)).moments[0].news
        assert isinstance(news, Record)
        remember(kept, news, limit=2)
    assert [key[2] for key in kept] == [3, 4]
