"""Requests in the place of others: no KV moves for them."""

from functools import partial

from kvtrace.events import AnyEvent
from kvtrace.model import Outcome, Role
from kvtrace.moments import Record
from kvtrace.stand_ins import StandIns
from tests.unit.samples import registration_staged, request_admitted, request_finished
from tests.unit.story import D, Story
from tests.unit.test_fleet import fleet_of, known

STAND_IN = "90dff02039fa88a7"
admitted = partial(request_admitted, request=STAND_IN, tokens=1)
finished = partial(request_finished, request=STAND_IN, status="FINISHED_ABORTED")


def record(event: AnyEvent) -> Record:
    (moment,) = Story().at(0, event).moments
    assert isinstance(moment.news, Record)
    return moment.news


def test_an_id_of_the_server_with_one_token_is_a_stand_ins() -> None:
    key = (D.name, Role.CONSUMER, STAND_IN)
    assert StandIns().hear(key, record(admitted()), 0)
    assert not StandIns().hear(key, record(admitted(tokens=2)), 0)
    assert not StandIns().hear(key, record(registration_staged(request=STAND_IN)), 0)
    assert not StandIns().hear(key, record(admitted(request="cmpl-90dff02039fa88a7-0-1a2b3c4d")), 0)


def test_what_is_told_of_one_later_is_no_transfer_either() -> None:
    stand_ins = StandIns()
    key = (D.name, Role.CONSUMER, STAND_IN)
    assert stand_ins.hear(key, record(admitted()), 0)
    assert stand_ins.hear(key, record(finished()), 5)
    assert stand_ins.ended["r1"].mark.seen == 5


def test_no_transfer_comes_of_one_in_whatever_order_it_is_told() -> None:
    for told in ((admitted(), finished()), (finished(), admitted())):
        fleet = fleet_of(Story().at(0, told[0]).at(1, told[1]).moments)
        assert known(fleet) == []
        assert fleet.outcomes[Outcome.ABANDONED] == 0
        assert list(fleet.stand_ins.ended) == ["r1"]


def test_only_so_many_are_remembered() -> None:
    stand_ins = StandIns()
    for number in range(2_000):
        name = f"{number:016x}"
        stand_ins.hear((D.name, Role.CONSUMER, name), record(admitted(request=name)), 0)
    first = (D.name, Role.CONSUMER, f"{0:016x}")
    assert not stand_ins.hear(first, record(finished(request=first[2])), 0)
