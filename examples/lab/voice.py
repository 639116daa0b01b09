"""What the router tells kvtrace of the legs it sends, as any router may tell it.

Events like those of engines: over OTLP they would be log records called `kvtrace.leg.sent` and
`kvtrace.leg.answered`; here they join what the black boxes tell.
"""

import time
import uuid
from collections import deque

from kvtrace.cli.watching import started
from kvtrace.events import AnyEvent
from kvtrace.moments import Record

KEPT = 10_000


class Voice:
    """What one router said, the last of it; the router's thread speaks, others listen."""

    def __init__(self) -> None:
        self._process = uuid.uuid4().hex
        self._clock = started().clock
        self._said: deque[Record] = deque(maxlen=KEPT)
        self.number = 0
        """How much was said by now."""

    def say(self, event: AnyEvent) -> None:
        """Tell that this happened just now."""
        self._said.append(
            Record(
                process=self._process,
                seq=self.number + 1,
                at=time.monotonic_ns(),
                wall=time.time_ns(),
                clock=self._clock,
                engine="",
                role=None,
                event=event,
            )
        )
        self.number += 1

    def after(self, number: int) -> list[Record]:
        """What was said after so much."""
        return [one for one in self._said.copy() if one.seq > number]
