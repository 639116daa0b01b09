"""When an agent has nothing left to do."""

from kvtrace.agent.ending import GIVE_UP, IN_VAIN, SECOND, SETTLED, UNMET, Ending


def reached(ending: Ending, at: int, alone: bool = True, met: bool = True, unsent: int = 0) -> bool:
    return ending.is_reached(at, alone=alone, met=met, unsent=unsent)


def in_vain(ending: Ending, at: int, delayed: bool = True, answered: int = 0) -> bool:
    return ending.is_in_vain(at, delayed=delayed, answered=answered)


def test_while_an_engine_lives_it_goes_on() -> None:
    assert not reached(Ending(), 0, alone=False)
    assert not reached(Ending(), 10 * GIVE_UP, alone=False)


def test_when_all_are_gone_it_ends_once_all_is_settled_and_sent() -> None:
    ending = Ending()
    assert not reached(ending, 0)
    assert not reached(ending, SETTLED, unsent=1)
    assert reached(ending, SETTLED)


def test_what_cannot_be_sent_is_not_tried_for_ever() -> None:
    ending = Ending()
    reached(ending, 0)
    assert not reached(ending, GIVE_UP - 1, unsent=1)
    assert reached(ending, GIVE_UP, unsent=1)


def test_an_engine_that_comes_meanwhile_keeps_it() -> None:
    ending = Ending()
    reached(ending, 0)
    reached(ending, SECOND // 2, alone=False)
    assert not reached(ending, SETTLED)
    assert reached(ending, 2 * SETTLED)


def test_one_started_by_hand_waits_for_engines_and_one_launched_knows_of_one() -> None:
    by_hand, launched = Ending(), Ending(launched=True)
    for ending in (by_hand, launched):
        assert not reached(ending, 0, met=False)
    assert not reached(by_hand, 100 * UNMET, met=False)
    assert not reached(launched, UNMET - 1, met=False)
    assert reached(launched, UNMET, met=False)


def test_one_that_stays_waits_for_the_next_engines() -> None:
    ending = Ending(stay=True)
    reached(ending, 0)
    assert not reached(ending, 100 * GIVE_UP)


def test_one_that_looks_once_gives_up_soon_where_nothing_is_taken() -> None:
    ending = Ending(once=True)
    assert not in_vain(ending, 0)
    assert not in_vain(ending, IN_VAIN - 1)
    assert in_vain(ending, IN_VAIN)


def test_an_endpoint_that_answers_slowly_is_not_in_vain() -> None:
    ending = Ending(once=True)
    for answered in range(9):
        assert not in_vain(ending, answered * (IN_VAIN - 1), answered=answered)
    assert in_vain(ending, 8 * (IN_VAIN - 1) + IN_VAIN, answered=8)


def test_it_goes_on_where_something_is_taken_meanwhile_and_others_go_on_anyway() -> None:
    ending, other = Ending(once=True), Ending()
    for at, delayed in ((0, True), (IN_VAIN - 1, False), (IN_VAIN, True), (2 * IN_VAIN - 1, True)):
        assert not in_vain(ending, at, delayed)
        assert not in_vain(other, at)


def test_once_is_once_whoever_lives() -> None:
    ending = Ending(once=True, stay=True)
    assert not reached(ending, 0, alone=False, met=False)
    assert reached(ending, SETTLED, alone=False, met=False)
