"""Reads off every event what it says of its link and its engine, and keeps the last of them."""

from kvtrace.clocks import Clocks
from kvtrace.events import (
    HandshakeFailed,
    RegistrationSendFailed,
    WriteFailed,
    WriteFinished,
)
from kvtrace.fleet import Fleet
from kvtrace.links import Links, Write
from kvtrace.missing import consumer_name
from kvtrace.model import Link, Mark
from kvtrace.moments import Moment, Record, Watched
from kvtrace.pairing import whose
from kvtrace.tail import Tail
from kvtrace.vitals import TOLD, Vitals


class Gauges:
    """Links, vitals and tail, fed from the same moments as the fleet, after it."""

    def __init__(self, fleet: Fleet) -> None:
        self.links = Links()
        self.vitals = Vitals()
        self.tail = Tail()
        self._fleet = fleet

    def hear(self, moment: Moment, clocks: Clocks) -> None:
        """Take in what arrived, which the fleet has taken in already."""
        news = moment.news
        if not isinstance(news, Record):
            if news is not None and not isinstance(news, Watched):
                self.tail.hear(news, moment.at)
            return
        at = news.at
        if news.clock != clocks.ours:
            at = clocks.instant(Mark(at, news.wall, news.clock, moment.at))
        self.tail.hear(news, at)
        kind = type(news.event)
        if kind in TOLD:
            self.vitals.hear(news, at)
        elif kind in _OF_LINKS:
            self._link(news, at)

    def _link(self, record: Record, at: int) -> None:
        match record.event:
            case WriteFinished(peer_rank=peer, size=size, transfer=took):
                write = Write(record.rank, peer, size, took)
                self.links.wrote(Link(record.engine, self._consumer(record)), write, at)
            case WriteFailed(consumer=consumer, peer_rank=peer):
                link = Link(record.engine, consumer or self._consumer(record))
                self.links.failed(link, (record.rank, peer))
            case RegistrationSendFailed(producer=producer, peer_rank=peer):
                self.links.failed(Link(producer, record.engine), (peer, record.rank))
            case HandshakeFailed(side=side, peer=peer_engine):
                ends = (record.engine, peer_engine)
                self.links.failed(Link(*(ends if side == "P" else ends[::-1])))
            case _:
                pass

    def _consumer(self, record: Record) -> str:
        """Where the record's request is written to; empty where that is not known."""
        key = whose(record)
        name = self._fleet.table.find(key) if key is not None else None
        return consumer_name(self._fleet.table[name]) if name is not None else ""


_OF_LINKS = frozenset((WriteFinished, WriteFailed, RegistrationSendFailed, HandshakeFailed))
