"""All that the receiver counts since it began; the loop's thread counts, any other may look."""

from collections import Counter

from kvtrace.moments import Lost
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.refusal import Reason
from kvtrace.sources.otlp.tally import Tally

SELDOM = 1_000_000_000
"""Nanoseconds between two words on what is not ours, of which much may come."""


class Counts:
    """Requests, what was in them, and what was refused."""

    def __init__(self) -> None:
        self.requests: Counter[Signal] = Counter()
        """That were answered well."""

        self.refused: Counter[Reason] = Counter()
        self.received = Tally()
        self.forwarded = 0
        """Requests that the backend acknowledged."""

        self.not_forwarded = 0
        """Times that the backend did not take one; its sender may have sent it again."""

        self._told = Lost()
        self._foreign_at: int | None = None

    def refuse(self, reason: Reason) -> None:
        """Count one request that was turned away."""
        self.refused[reason] += 1

    def lost(self, at: int, *, last: bool = False) -> Lost | None:
        """What was lost since this was last asked, and what was not ours; None where nothing was.

        The latter is told once a second of the time that is given, and the last time.
        """
        refused = sum(count for reason, count in list(self.refused.items()) if reason.loses)
        unreadable, unknown = self.received.unreadable, self.received.unknown
        before = self._told
        foreign = self.received.foreign if last or self._is_due(at) else before.foreign
        now = Lost(turned_away=refused, unreadable=unreadable, unknown=unknown, foreign=foreign)
        if now == before:
            return None
        self._told = now
        if now.foreign != before.foreign:
            self._foreign_at = at
        return Lost(
            turned_away=now.turned_away - before.turned_away,
            unreadable=now.unreadable - before.unreadable,
            unknown=now.unknown - before.unknown,
            foreign=now.foreign - before.foreign,
        )

    def _is_due(self, at: int) -> bool:
        return self._foreign_at is None or at - self._foreign_at >= SELDOM

    def as_json(self) -> dict[str, object]:
        """The counts as /healthz tells them."""
        received = self.received
        return {
            "requests": {signal.value: self.requests[signal] for signal in Signal},
            "refused": {reason.said: count for reason, count in list(self.refused.items())},
            "forwarded": self.forwarded,
            "not_forwarded": self.not_forwarded,
            "received": {name: getattr(received, name) for name in received.__struct_fields__},
        }
