"""The whole life of real pushes between real engines, as their black boxes tell it."""

import uuid

import pytest
from lab.pair import Pair

from kvtrace.sources.run_directory import read_once
from tests.life import Seen, check_push

LENGTHS = (40, 700, 1500)
"""Tokens; a block holds 16 or more."""


def push_and_check(pair: Pair, ranks: tuple[int, int]) -> Seen:
    ids = [f"life-{uuid.uuid4()}" for _ in LENGTHS]
    for request_id, length in zip(ids, LENGTHS, strict=True):
        assert pair.complete(length, request_id=request_id).answered
    pair.complete(20)  # its steps report what the last of the others left open
    seen = Seen(read_once(pair.run_dir))
    for request_id in ids:
        check_push(seen, pair.router_log.find(request_id), ranks)
    return seen


def test_a_push_from_one_rank_to_one_comes_out_whole(pair: Pair) -> None:
    seen = push_and_check(pair, (1, 1))
    losses = seen.snapshot.losses
    assert (losses.overwritten, losses.unreadable, losses.unknown, losses.ledger_full) == (0,) * 4
    assert {line.id for line in seen.snapshot.engines} == {"P", "D"}


def test_at_most_twelve_events_tell_of_a_half(pair: Pair) -> None:
    request_id = f"twelve-{uuid.uuid4()}"
    assert pair.complete(300).answered  # handshakes, if it is the first
    assert pair.complete(300, request_id=request_id).answered
    pair.complete(20)
    transfer = Seen(read_once(pair.run_dir)).transfer(request_id)
    assert transfer.producer is not None
    assert transfer.consumer is not None
    assert len(transfer.producer.told) <= 12
    assert len(transfer.consumer.told) <= 12


@pytest.mark.parametrize("ranks", [(1, 2), (2, 2)])
def test_pushes_to_several_ranks_come_out_whole(pairs, ranks: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    with pairs(tp_producer=ranks[0], tp_consumer=ranks[1]) as pair:
        push_and_check(pair, ranks)
