"""Which trace a transfer is in."""

from kvtrace.fleet import Fleet
from kvtrace.moments import Moment
from kvtrace.signals.hashing import Hasher
from kvtrace.signals.ids import derived
from kvtrace.signals.traces import trace_of
from kvtrace.transfer import Transfer
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, prefill_admitted, request_admitted
from tests.unit.story import CLOCK, Story

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_it_is_the_one_that_the_request_came_with_on_either_side() -> None:
    for event in (request_admitted(trace=PARENT), prefill_admitted(trace=PARENT)):
        assert trace_of(Story().at(0, event).row.transfer) == TRACE


def test_without_one_both_sides_make_the_same() -> None:
    alone = [Story().at(0, *events).row.transfer for events in (CONSUMER_FIRST, PRODUCER_FIRST)]
    both = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).row.transfer
    assert {trace_of(transfer) for transfer in (*alone, both)} == {trace_of(both)}


def test_a_transfer_of_which_nothing_is_known_has_one_all_the_same() -> None:
    assert trace_of(Transfer(id="r1")) == derived("r1").trace_id.hex()


def test_with_the_agents_secret_it_is_the_trace_that_the_agent_sends() -> None:
    veiled = [
        Moment(one.at, Hasher("key").news(one.news) if one.news else None)
        for one in Story().at(0, *CONSUMER_FIRST).moments
    ]
    fleet = Fleet(CLOCK)
    for moment in veiled:
        fleet.take(moment)
    (sent,) = fleet.table.live.values()
    here = Story().at(0, *CONSUMER_FIRST).row.transfer
    assert trace_of(here, "key") == trace_of(sent) == trace_of(sent, "key")
    assert trace_of(here) != trace_of(sent)
