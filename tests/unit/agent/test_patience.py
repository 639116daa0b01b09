"""How long to wait before the next attempt."""

import pytest

from kvtrace.agent.patience import ASKED, FIRST, MOST, Patience


def test_each_failure_doubles_the_wait_up_to_a_limit() -> None:
    patience = Patience(chance=lambda: 0.5)
    waits = [patience.fail() for _ in range(40)]
    assert waits[:4] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert waits[-1] == MOST


def test_after_a_success_it_begins_anew() -> None:
    patience = Patience(chance=lambda: 0.5)
    patience.fail()
    patience.fail()
    patience.succeed()
    assert patience.fail() == FIRST


def test_chance_keeps_many_agents_from_coming_back_at_once() -> None:
    assert Patience(chance=lambda: 0.0).fail() == pytest.approx(FIRST / 2)
    assert Patience(chance=lambda: 0.999).fail() == pytest.approx(FIRST * 1.5, rel=0.01)


def test_the_endpoint_may_ask_for_more_but_not_for_ever() -> None:
    patience = Patience(chance=lambda: 0.5)
    assert patience.fail(asked=7.0) == 7.0
    assert patience.fail(asked=0.0) == 2 * FIRST
    assert patience.fail(asked=1e9) == ASKED
