"""Which halves' spans are sent: a share of them, and all that stalled, failed or were slow.

Whether a half is in the share is decided by a hash of its base id, so that both engines decide
alike without asking each other. The spans of one outside it are held back until its root tells
how it ended: then they are all sent, or all dropped.
"""

from collections import deque
from hashlib import sha256

import msgspec

from kvtrace.diagnosis.patience import PATIENCE
from kvtrace.model import Outcome, Phase
from kvtrace.signals.spans import STALL, TRANSFER, Span

SLOW = PATIENCE[Phase.WRITE] // 4
"""Nanoseconds from which a phase is slow whatever is usual; readiness and the root, which wait
for a prompt to be computed, are compared with their link alone."""

MEMORY = 300_000_000_000
"""Nanoseconds that a link's durations are remembered for."""

ENOUGH = 100
"""Durations of a link before its slowest hundredth means anything."""

_KEPT = 500
_LINKS = 1000
_HELD = 20_000


def keep(base: str, ratio: float) -> bool:
    """Whether a request's spans are in the share that is sent; the same on both sides."""
    digest = sha256(b"kvtrace.sample" + base.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") < ratio * (1 << 64)


class Sampler:
    """Lets spans pass, holds them back, or drops them."""

    def __init__(self, ratio: float) -> None:
        self.dropped = 0
        """Spans that were left out on purpose."""

        self.crowded = 0
        """Spans that were left out for want of room to hold them back."""

        self._ratio = ratio
        self._held: dict[bytes, list[Span]] = {}
        self._count = 0
        self._kept: dict[bytes, None] = {}
        self._links: dict[tuple[str, str], Usual] = {}

    def sift(self, spans: list[Span]) -> list[Span]:
        """Those of these spans, and of those held back, that are to be sent now."""
        if self._ratio >= 1:
            return spans
        return [passed for span in spans for passed in self._sift(span)]

    def _sift(self, span: Span) -> list[Span]:
        slow, whole = self._is_slow(span), span.root == span.span_id
        if self._share(span):
            return [span]
        if span.root in self._kept:
            if whole:
                del self._kept[span.root]
            return [span]
        if slow or span.name == STALL or span.error or _went_wrong(span):
            return [*self._release(span, whole), span]
        if whole:
            self.dropped += len(self._take(span.root)) + 1
            return []
        self._hold(span)
        return []

    def _share(self, span: Span) -> bool:
        return keep(str(span.attributes.get("kvtrace.join", "")), self._ratio)

    def _release(self, span: Span, whole: bool) -> list[Span]:
        """What was held back of the half that now is worth sending."""
        if not whole:
            self._kept[span.root] = None
        if len(self._kept) > _HELD:
            del self._kept[next(iter(self._kept))]
        return self._take(span.root)

    def _hold(self, span: Span) -> None:
        self._held.setdefault(span.root, []).append(span)
        self._count += 1
        if self._count > _HELD:
            self.crowded += len(self._take(next(iter(self._held))))

    def _take(self, root: bytes) -> list[Span]:
        held = self._held.pop(root, [])
        self._count -= len(held)
        return held

    def _is_slow(self, span: Span) -> bool:
        took = span.end - span.start
        if span.name != TRANSFER:
            return took >= SLOW and span.name not in ("kvtrace.readiness", STALL)
        peer = span.attributes.get("kvtrace.peer_engine")
        if span.attributes.get("kvtrace.outcome") != Outcome.FINISHED.value:
            return False
        usual = self._links.setdefault((span.engine, str(peer)), Usual())
        if len(self._links) > _LINKS:
            del self._links[next(iter(self._links))]
        slow = usual.is_slow(took)
        usual.learn(span.end, took)
        return slow


class Usual(msgspec.Struct):
    """How long the last transfers of a link took."""

    took: deque[tuple[int, int]] = msgspec.field(default_factory=lambda: deque(maxlen=_KEPT))
    """When each ended, and its duration."""

    limit: int | None = None
    """The duration that one in a hundred exceeds; None while too few are known."""

    learned: int = 0

    def is_slow(self, took: int) -> bool:
        """Whether it took longer than all but one in a hundred of them."""
        return self.limit is not None and took > self.limit

    def learn(self, end: int, took: int) -> None:
        """Remember one more, and forget those of long ago."""
        self.took.append((end, took))
        while self.took[0][0] < end - MEMORY:
            self.took.popleft()
        self.learned += 1
        if len(self.took) < ENOUGH:
            self.limit = None
        elif self.limit is None or self.learned % (ENOUGH // 5) == 0:
            every = sorted(took for _, took in self.took)
            self.limit = every[len(every) * 99 // 100]


def _went_wrong(span: Span) -> bool:
    outcome = span.attributes.get("kvtrace.outcome")
    return outcome is not None and outcome != Outcome.FINISHED.value
