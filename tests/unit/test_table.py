"""Transfers by any of their ids."""

import msgspec
import pytest

from kvtrace.ending import Ending
from kvtrace.model import Mark, Outcome, Role
from kvtrace.table import Table
from kvtrace.transfer import Transfer
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, match_made
from tests.unit.story import Story

OVER = Ending(Outcome.FINISHED, Mark(1, 1, "c", 1))


def table() -> tuple[Table, Transfer]:
    transfer = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, match_made()).row.transfer
    made = Table()
    made.replace(transfer)
    made.index(transfer)
    return made, transfer


def test_a_transfer_is_found_by_either_id() -> None:
    made, transfer = table()
    assert made.find(("P0", Role.PRODUCER, "r1-aaaaaaaa")) == transfer.id
    assert made.find(("D0", Role.CONSUMER, "r1-bbbbbbbb")) == transfer.id
    assert made.find(("D0", Role.CONSUMER, "r2-bbbbbbbb")) is None
    assert made.alike("r1") == (transfer.id,)


def test_it_ends_and_lives_again_and_is_found_all_the_while() -> None:
    made, transfer = table()
    made.end(transfer.id, OVER)
    assert transfer.id not in made.live
    assert made.endings[transfer.id] is OVER
    assert made[transfer.id] is transfer
    made.revive(transfer.id)
    assert made.live[transfer.id] is transfer
    assert not made.ended


def test_what_is_forgotten_cannot_be_found() -> None:
    made, transfer = table()
    made.end(transfer.id, OVER)
    made.forget(transfer.id)
    assert transfer.id not in made
    assert made.find(("P0", Role.PRODUCER, "r1-aaaaaaaa")) is None
    assert made.alike("r1") == ()
    with pytest.raises(KeyError):
        made[transfer.id]


def test_an_id_that_was_parted_from_it_is_not_left_behind() -> None:
    made, transfer = table()
    (alone,) = Story().at(0, *CONSUMER_FIRST).snapshot.rows
    parted = msgspec.structs.replace(alone.transfer, id=transfer.id)
    made.replace(parted)
    made.index(parted)
    made.forget(transfer.id)
    assert made.find(("P0", Role.PRODUCER, "r1-aaaaaaaa")) is None
    assert made.find(("D0", Role.CONSUMER, "r1-bbbbbbbb")) is None
