"""Which spans were handed to the exporter, in bounded room, so that none is sent twice."""

from collections import deque
from collections.abc import Collection, Iterable

import msgspec

MOST = 4096
"""Spans that are known one by one; those before them are known by the event that completed them."""


class Known(msgspec.Struct, kw_only=True):
    """What is written down of them."""

    ids: dict[str, dict[str, int]] = {}
    """The newest, by process: the number of the event that completed each."""

    before: dict[str, int] = {}
    """By process: whatever was completed by an event up to this one counts as handed over."""

    open: list[str] = []
    """Those handed over that were not answered yet."""

    def has(self, span: str, process: str, seq: int) -> bool:
        """Whether this span may have been handed over."""
        return span in self.ids.get(process, ()) or seq <= self.before.get(process, 0)


class Handed:
    """Spans are completed roughly in the order of events, but not quite: those of one request
    wait until it has settled, while those of another are made."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._order = deque(
            (process, span) for process, spans in known.ids.items() for span in spans
        )

    def hand(self, spans: Iterable[tuple[str, str, int]]) -> None:
        """Take note of spans, each with the process and number of the event behind it.

        Number 0 stands for a span that nothing but time completed.
        """
        known = self.known
        known.open = []
        for span, process, seq in spans:
            known.open.append(span)
            known.ids.setdefault(process, {})[span] = seq
            self._order.append((process, span))
        while len(self._order) > MOST:
            process, span = self._order.popleft()
            seq = known.ids[process].pop(span, 0)
            known.before[process] = max(seq, known.before.get(process, 0))

    def answered(self) -> None:
        """Take note that none is on its way any more."""
        self.known.open = []

    def keep(self, processes: Collection[str]) -> None:
        """Forget all processes but these; the empty one stands for what only time completed."""
        gone = (self.known.ids.keys() | self.known.before.keys()) - {*processes, ""}
        for process in gone:
            self.known.ids.pop(process, None)
            self.known.before.pop(process, None)
        if gone:
            self._order = deque(one for one in self._order if one[0] not in gone)
