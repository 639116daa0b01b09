"""Which transfers somebody waits for, and which of them are too young to be stalled."""

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.patience import PATIENCE
from kvtrace.engines import Engines
from kvtrace.events import ProcessStarted
from kvtrace.moments import Record
from kvtrace.steps import MAY_NOT_STAND
from kvtrace.table import Table
from kvtrace.transfer import Transfer


def in_flight(table: Table, engines: Engines) -> list[Transfer]:
    """Those that somebody waits for, the first heard of first."""
    return [one for one in table.live.values() if not _is_stale(one, engines)]


class Youth:
    """The least patience that any engine allows, and who is younger."""

    def __init__(self) -> None:
        self._least = min(PATIENCE.values())

    def hear(self, record: Record) -> None:
        """Take in what an engine allows, which is told as it starts."""
        if isinstance(record.event, ProcessStarted):
            told = (record.event.lease, record.event.registration_timeout)
            self._least = min([self._least, *(limit for limit in told if limit > 0)])

    def is_young(self, transfer: Transfer, clocks: Clocks, engines: Engines, at: int) -> bool:
        """Whether it cannot be stalled at that instant, nor wait for anyone who is gone.

        What looking at it now would find is found as well by looking at it later.
        """
        instants, stand = [], False
        for half in (transfer.producer, transfer.consumer):
            for told in half.told.values() if half is not None else ():
                if told.process in engines.gone:
                    return False
                instants.append(clocks.instant(told.mark))
                stand = stand or type(told.event) not in MAY_NOT_STAND
        return stand and at - min(instants) < self._least and max(instants) <= at


def _is_stale(transfer: Transfer, engines: Engines) -> bool:
    """Whether it is only a registration of a consumer that we hear, and that has no such
    request: with more consumer ranks than producer ranks some stay unmatched for ever."""
    if transfer.consumer is not None or transfer.producer is None:
        return False
    told = transfer.producer.told.values()
    if any(one.event.request for one in told):
        return False
    return any(getattr(one.event, "consumer", "") in engines for one in told)
