"""Stories of a producer that was not told where to write."""

from kvtrace.causes import Cause
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, match_made, registration_noticed
from tests.unit.story import D, Story


def test_a_registration_that_never_comes_is_blamed_after_its_patience() -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    story.at(4).is_not_stalled()
    story.at(5).is_blamed_on(Cause.REGISTRATION_NEVER_CAME, "for 5.00 s; no D has told it")


def test_where_no_consumer_is_heard_at_all_it_is_unsure() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(6)
    story.is_blamed_on(Cause.REGISTRATION_NEVER_CAME).is_unsure("nothing is heard of D")


def test_a_registration_that_came_is_not_blamed() -> None:
    story = Story().at(0, *PRODUCER_FIRST, registration_noticed(), match_made()).at(6)
    story.is_not_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_a_consumer_that_is_heard_is_not_told_to_have_never_asked() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(1, *CONSUMER_FIRST, by=D).at(40)
    story.is_not_blamed_on(Cause.REGISTRATION_NEVER_CAME)
