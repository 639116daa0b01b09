"""Long work stands aside for whoever asked for it."""

from kvtrace.courtesy import COURTESY, Courtesy
from kvtrace.model import Phase
from kvtrace.moments import Moment
from kvtrace.monitor import watch
from tests.unit.samples import blocks_ready, prefill_admitted
from tests.unit.story import CLOCK, SECOND, Story


def test_who_asked_for_it_is_let_go_first_until_he_asks_no_more() -> None:
    courtesy, let = Courtesy(), list[int]()
    courtesy.give_way()
    courtesy.ask(lambda: let.append(1))
    courtesy.give_way()
    courtesy.ask(None)
    courtesy.give_way()
    assert let == [1]


def test_who_watches_gives_way_at_each_moment_and_each_transfer_and_sees_the_same() -> None:
    story = Story().at(0, prefill_admitted(), blocks_ready()).waits_for(Phase.REGISTRATION)
    moments = [*story.moments, Moment(60 * SECOND)]
    alone, let = list(watch(moments, clock=CLOCK)), list[int]()
    COURTESY.ask(lambda: let.append(1))
    try:
        assert list(watch(moments, clock=CLOCK)) == alone
    finally:
        COURTESY.ask(None)
    assert any(snapshot.rows[0].stalled for snapshot in alone if snapshot.rows)
    assert len(let) > len(moments) + len(alone)
