"""A router's legs are found by the ids of the engines."""

from kvtrace.diagnosis.router import answered_badly, sent
from kvtrace.model import Role
from tests.unit.diagnosis.test_case import case_of
from tests.unit.samples import leg_answered, leg_sent, request_admitted
from tests.unit.story import ROUTER, Story

ASKED = request_admitted(request="cmpl-abc-0-bbbbbbbb", remote_request="p-7")


def test_a_leg_is_found_by_the_routers_id_within_the_engines() -> None:
    case = case_of(Story().at(0, ASKED).at(1, leg_sent(request="abc"), by=ROUTER))
    assert sent(case, Role.PRODUCER) is not None
    assert sent(case, Role.CONSUMER) is None


def test_a_leg_is_found_by_the_id_that_the_consumer_was_told() -> None:
    case = case_of(Story().at(0, ASKED).at(1, leg_sent(request="p-7"), by=ROUTER))
    assert sent(case, Role.PRODUCER) is not None


def test_only_an_answer_without_success_is_a_bad_one() -> None:
    story = Story().at(0, ASKED).at(1, leg_answered(request="abc"), by=ROUTER)
    assert answered_badly(case_of(story), Role.PRODUCER) is None
    story.at(2, leg_answered(request="abc", status=503), by=ROUTER)
    assert answered_badly(case_of(story), Role.PRODUCER) is not None
    assert answered_badly(case_of(story), Role.CONSUMER) is None
