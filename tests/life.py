"""What must be true of every real push that went well, against what the router saw of it."""

import itertools
from collections.abc import Iterable

from lab.routed import Routed

from kvtrace.census import Census
from kvtrace.clocks import Clocks
from kvtrace.events import WriteFinished, WritePosted, WriteStarted
from kvtrace.fleet import Fleet
from kvtrace.identity import base_id
from kvtrace.model import Outcome
from kvtrace.moments import Moment, Record
from kvtrace.phases import stretches
from kvtrace.snapshot import Snapshot
from kvtrace.transfer import Half, Told, Transfer

CONSUMER_ORDER = (
    "request.admitted",
    "load.decided",
    "registration.staged",
    "registration.shipped",
    "registration.queued",
    "registration.sent",
    "notification.noticed",
    "completion.counted",
    "receive.reported",
    "receive.finished",
    "request.resumed",
)
PRODUCER_ORDER = (
    "prefill.admitted",
    "blocks.ready",
    "blocks.shipped",
    "blocks.queued",
    "match.made",
    "write.posted",
    "write.finished",
    "send.reported",
    "blocks.released",
)


class Seen:
    """Everything that moments tell, taken in at once."""

    def __init__(self, moments: Iterable[Moment]) -> None:
        kept = list(moments)
        clock = next(m.news.clock for m in kept if isinstance(m.news, Record))
        self.records = [m.news for m in kept if isinstance(m.news, Record)]
        self.fleet = Fleet(clock)
        census = Census(clock)
        for moment in kept:
            self.fleet.take(moment)
            census.take(moment)
        self.snapshot: Snapshot = census.snapshot(kept[-1].at)

    @property
    def clocks(self) -> Clocks:
        """The engines' clocks."""
        return self.fleet.clocks

    def transfer(self, router_id: str) -> Transfer:
        """The one transfer of the request that the router called so."""
        table = self.fleet.table
        everyone = [*table.live.values(), *(table[name] for name in table.ended)]
        found = [one for one in everyone if router_id in one.id]
        assert len(found) == 1, f"{router_id}: {[one.id for one in found]}"
        return found[0]


def check_push(seen: Seen, routed: Routed, ranks: tuple[int, int] = (1, 1)) -> None:
    """One answered request came out as one whole transfer, in order, inside what the router saw."""
    transfer = seen.transfer(routed.request_id)
    assert transfer.joined == "match"
    assert transfer.producer is not None
    assert transfer.consumer is not None
    assert base_id(transfer.producer.request) == base_id(transfer.consumer.request)
    assert transfer.producer.request != transfer.consumer.request
    assert not transfer.rivals
    assert seen.fleet.table.endings[transfer.id].outcome is Outcome.FINISHED
    _check_order(transfer.consumer, CONSUMER_ORDER)
    _check_order(transfer.producer, PRODUCER_ORDER)
    _check_messages(transfer)
    _check_ranks(transfer, ranks)
    _check_router(transfer, routed)
    _check_durations(seen, transfer)


def _check_order(half: Half, order: tuple[str, ...]) -> None:
    marks = [_first(half, kind) for kind in order]
    for earlier, later in itertools.pairwise(marks):
        assert earlier.mark.at <= later.mark.at, f"{earlier} after {later}"
        assert earlier.mark.clock == later.mark.clock


def _check_messages(transfer: Transfer) -> None:
    """What one side sent, the other noticed later; both are on one host's clock here."""
    assert transfer.producer is not None
    assert transfer.consumer is not None
    set_out = _first(transfer.producer, "write.started")
    assert isinstance(set_out.event, WriteStarted)
    first_post = _first(transfer.producer, "write.posted")
    assert set_out.mark.at - set_out.event.took <= first_post.mark.at
    sent = _first(transfer.consumer, "registration.sent").mark.at
    assert sent <= _first(transfer.producer, "registration.noticed").mark.at
    # A write may land, and be noticed, before the post of it returns.
    assert isinstance(first_post.event, WritePosted)
    posting = first_post.mark.at - first_post.event.post
    assert posting <= _first(transfer.consumer, "notification.noticed").mark.at


def _check_ranks(transfer: Transfer, ranks: tuple[int, int]) -> None:
    assert transfer.producer is not None
    assert transfer.consumer is not None
    producers, consumers = ranks
    writes = _every(transfer.producer, "write.finished")
    assert len(writes) == max(producers, consumers)
    assert {told.place.rank for told in writes} == set(range(producers))
    assert {told.event.peer_rank for told in writes} == set(range(consumers))  # type: ignore[union-attr]
    sizes = {told.event.size for told in writes if isinstance(told.event, WriteFinished)}
    assert len(sizes) == 1
    assert min(sizes) > 0
    counted = {told.place.rank for told in _every(transfer.consumer, "completion.counted")}
    assert counted == set(range(consumers))


def _check_router(transfer: Transfer, routed: Routed) -> None:
    """Both halves lie between what the router sent and what it was answered."""
    for half, leg, first, last in (
        (transfer.consumer, routed.consumer, "request.admitted", "request.resumed"),
        (transfer.producer, routed.producer, "prefill.admitted", "blocks.ready"),
    ):
        assert half is not None
        assert leg.sent is not None
        assert leg.answered is not None
        assert leg.sent.monotonic <= _first(half, first).mark.at
        assert _first(half, last).mark.at <= leg.answered.monotonic


def _check_durations(seen: Seen, transfer: Transfer) -> None:
    """The phases add up to the time from admission to resumption."""
    assert transfer.consumer is not None
    began = _first(transfer.consumer, "request.admitted").mark.at
    ended = _first(transfer.consumer, "request.resumed").mark.at
    cut = stretches(transfer, seen.clocks, now=ended + 1_000_000_000)
    assert cut[0].began == began
    assert cut[-1].ended == ended
    for one, following in itertools.pairwise(cut):
        assert one.ended == following.began


def _first(half: Half, kind: str) -> Told:
    found = _every(half, kind)
    assert found, f"{half.request} on {half.engine} has no {kind}, only {sorted(half.told)}"
    return min(found, key=lambda told: told.mark.at)


def _every(half: Half, kind: str) -> list[Told]:
    return [told for key, told in half.told.items() if key[0] == kind]
