"""Says when what is passed on is not taken any more, and when it is again; runs in the loop."""

import time
from collections.abc import Callable

from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.refusal import RefusedError
from kvtrace.sources.otlp.request import Backend, Request
from kvtrace.words import many

BETWEEN = 10.0
"""Seconds between two lines on the same signal, so that one that comes and goes does not flood."""


class WatchedBackend:
    """A backend of which it is told how it does, in one line each time that changes."""

    def __init__(
        self,
        backend: Backend,
        place: str,
        tell: Callable[[str], object],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._place = place
        self._tell = tell
        self._now = now
        self._refused: dict[Signal, int] = {}
        self._told: dict[Signal, tuple[bool, float]] = {}

    async def send(self, request: Request) -> bytes:
        """The backend's own answer; raises RefusedError as it does."""
        signal = request.signal
        try:
            answer = await self._backend.send(request)
        except RefusedError as error:
            self._refused[signal] = self._refused.get(signal, 0) + 1
            what = "their senders keep them" if error.again else "it will never take these"
            self._say(
                signal,
                False,
                f"{signal.value} cannot be passed on to {self._place}: {error}; {what}",
            )
            raise
        if signal in self._told:
            count = self._refused.get(signal, 0)
            self._say(
                signal,
                True,
                f"{signal.value} are passed on to {self._place} again; "
                f"it did not take {many(count, 'request')}",
            )
        return answer

    async def close(self) -> None:
        """Lets go of all connections."""
        await self._backend.close()

    def _say(self, signal: Signal, well: bool, sentence: str) -> None:
        before, when = self._told.get(signal, (True, -BETWEEN))
        if before is not well and self._now() - when >= BETWEEN:
            self._told[signal] = well, self._now()
            self._tell(sentence)
