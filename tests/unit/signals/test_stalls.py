"""Phases that outlive their patience."""

from kvtrace.clocks import Clocks
from kvtrace.engines import Engines
from kvtrace.missing import Missing
from kvtrace.model import Phase, Place, Role
from kvtrace.signals.account import Account
from kvtrace.signals.stalls import MOST, Now, Wait, shortest, stall, wait_of
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import CLOCK, SECOND, Story


def wait(account: Account) -> Wait | None:
    return wait_of(account, Engines(), Clocks(CLOCK), 60 * SECOND)


def test_a_half_alone_says_what_it_waits_for_and_who_must_act() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    found = wait(account)
    assert found == Wait(
        Phase.READINESS,
        SECOND,
        30 * SECOND,
        Missing(Place("P0", Role.PRODUCER), "blocks.ready"),
    )


def test_one_that_is_over_waits_for_nothing() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST).at(2, samples.request_resumed())
    assert wait(account_of(story)) is None


def test_it_is_told_at_each_doubling_of_the_patience() -> None:
    found = Wait(Phase.WRITE, SECOND, 5 * SECOND, None)
    ages = [4.9, 5, 9.9, 10, 19.9, 20, 40]
    assert [found.number(round((1 + age) * SECOND)) for age in ages] == [-1, 0, 0, 1, 1, 2, 3]
    assert [found.after(n) // SECOND for n in range(4)] == [6, 11, 21, 41]
    assert found.number(1 << 200) == MOST


def test_its_span_carries_all_that_the_half_has_told() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    found = wait(account)
    assert found is not None
    draft = stall(account, found, 1, Now(70 * SECOND, 0, CLOCK))
    assert draft.name == "kvtrace.stall"
    assert (draft.start, draft.end) == (SECOND, 61 * SECOND)
    assert len(draft.records) == 6
    assert draft.attributes == {
        "kvtrace.engine": "D0",
        "kvtrace.phase": "readiness",
        "kvtrace.age": 69 * SECOND,
        "kvtrace.patience": 30 * SECOND,
        "kvtrace.n": 1,
        "kvtrace.waits_for.event": "blocks.ready",
        "kvtrace.waits_for.engine": "P0",
        "kvtrace.waits_for.role": "P",
        "kvtrace.waits_for.rank": -1,
    }


def test_on_another_clock_it_is_placed_by_its_age() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    found = Wait(Phase.WRITE, 10 * SECOND, SECOND, None)
    assert stall(account, found, 0, Now(13 * SECOND, 99 * SECOND, "other")).start == 96 * SECOND


def test_the_shortest_patience_follows_from_an_engine_s_settings() -> None:
    assert shortest(samples.process_started(lease=0)) == 5 * SECOND
    assert shortest(samples.process_started(lease=SECOND)) == SECOND
    assert shortest(samples.process_started(lease=9 * SECOND, registration_timeout=2)) == 2
