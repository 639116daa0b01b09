"""Which spans were handed to the exporter, in bounded room, so that none is sent twice."""

from collections.abc import Collection, Iterable

import msgspec

MOST = 4096
"""Spans that are known one by one; those before them are known by the event that completed them."""


class Handed(msgspec.Struct, kw_only=True):
    """Spans are completed roughly in the order of events, but not quite: those of one request
    wait until it has settled, while those of another are made."""

    ids: dict[str, tuple[str, int]] = {}
    """The newest: the process and number of the event that completed each."""

    before: dict[str, int] = {}
    """By process: whatever was completed by an event up to this one counts as handed over."""

    open: list[str] = []
    """Those handed over that were not answered yet."""

    def has(self, span: str, process: str, seq: int) -> bool:
        """Whether this span may have been handed over."""
        return span in self.ids or seq <= self.before.get(process, 0)

    def hand(self, spans: Iterable[tuple[str, str, int]]) -> None:
        """Take note of spans, each with the process and number of the event behind it.

        Number 0 stands for a span that nothing but time completed.
        """
        self.open = []
        for span, process, seq in spans:
            self.open.append(span)
            self.ids[span] = process, seq
        while len(self.ids) > MOST:
            process, seq = self.ids.pop(next(iter(self.ids)))
            self.before[process] = max(seq, self.before.get(process, 0))

    def answered(self) -> None:
        """Take note that none is on its way any more."""
        self.open = []

    def keep(self, processes: Collection[str]) -> None:
        """Forget what lies before of all processes but these."""
        for process in self.before.keys() - set(processes):
            del self.before[process]
