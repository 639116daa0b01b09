"""All that the receiver counts since it began; the loop's thread counts, any other may look."""

from collections import Counter

from kvtrace.moments import Lost
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.refusal import Reason
from kvtrace.sources.otlp.tally import Tally


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

    def refuse(self, reason: Reason) -> None:
        """Count one request that was turned away."""
        self.refused[reason] += 1

    def lost(self) -> Lost | None:
        """What was lost since this was last asked; None where nothing was."""
        refused = sum(count for reason, count in list(self.refused.items()) if reason.loses)
        unreadable, unknown = self.received.unreadable, self.received.unknown
        before, now = self._told, Lost(turned_away=refused, unreadable=unreadable, unknown=unknown)
        if now == before:
            return None
        self._told = now
        return Lost(
            turned_away=now.turned_away - before.turned_away,
            unreadable=now.unreadable - before.unreadable,
            unknown=now.unknown - before.unknown,
        )

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
