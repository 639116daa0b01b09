"""Where one signal goes: hands batches to its endpoint, counts what is lost, says how it goes."""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kvtrace.agent.journal import Journal
from kvtrace.destination import Destination
from kvtrace.sinks.otlp.answer import Answer, Fate
from kvtrace.sinks.otlp.sender import Sender

Item = TypeVar("Item")

LARGEST = 3_500_000
"""Bytes of one message: gRPC servers refuse those over 4 MiB unless they are told otherwise."""

_ADVICE = {
    "UNIMPLEMENTED": "; if it takes no {signal}, set OTEL_{SIGNAL}_EXPORTER=none",
    "UNAUTHENTICATED": "; see OTEL_EXPORTER_OTLP_HEADERS",
    "PERMISSION_DENIED": "; see OTEL_EXPORTER_OTLP_HEADERS",
    "HTTP 401": "; see OTEL_EXPORTER_OTLP_HEADERS",
    "HTTP 403": "; see OTEL_EXPORTER_OTLP_HEADERS",
    "HTTP 404": "; see OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_PROTOCOL",
}


class Route(Generic[Item]):
    """Used by its outbox' thread; `dropped` by any."""

    def __init__(
        self,
        destination: Destination,
        sender: Sender,
        journal: Journal,
        *,
        pack: Callable[[Sequence[Item]], bytes],
        batch: int,
    ) -> None:
        self.batch = batch
        self.sent = 0
        self.lost = 0
        """All that the endpoint did not take."""

        self.answered = 0
        """Batches that the endpoint took, or refused for good."""

        self.is_asking = False
        """Whether the endpoint has yet to answer."""

        self.is_delayed = False
        """Whether the endpoint took nothing when it was last asked."""

        self._signal = destination.signal
        self._endpoint = destination.endpoint
        self._sender = sender
        self._journal = journal
        self._pack = pack
        self._lock = threading.Lock()
        self.on_handing: Callable[[Sequence[Item]], None] = _nothing
        self.on_settled: Callable[[Sequence[Item]], None] = _nothing
        self.on_taken: Callable[[Sequence[Item]], None] = _nothing
        self.on_refused: Callable[[Sequence[Item]], None] = _nothing
        self.on_lost: Callable[[int], None] = _nothing

    def handing(self, items: Sequence[Item]) -> None:
        """These are about to be sent."""
        self.on_handing(items)

    def send(self, items: Sequence[Item], limit: float) -> Answer:
        """What the endpoint answers to them, within so many seconds."""
        message = self._pack(items)
        if len(message) > LARGEST and len(items) > 1:
            return Answer(fate=Fate.SMALLER)
        self.is_asking = True
        try:
            return self._sender.send(message, limit)
        finally:
            self.is_asking = False

    def settled(self, items: Sequence[Item], answer: Answer) -> None:
        """These will not be sent again, whether they were taken or not."""
        self.on_settled(items)
        self.answered += 1
        self.is_delayed = False
        if answer.fate is not Fate.TAKEN:
            self.dropped(items, answer)
            return
        self.on_taken(items)
        self.sent += len(items) - answer.rejected
        if answer.rejected:
            self._lose(answer.rejected)
            self._say("partly", f"{self._endpoint} takes only part of the {self._signal}", answer)
        else:
            again = f"; {self.lost} were lost" if self.lost else ""
            self._journal.is_(
                self._signal, "well", f"{self._signal} arrive at {self._endpoint}{again}"
            )

    def dropped(self, items: Sequence[Item], answer: Answer) -> None:
        """These are given up, because the endpoint does not take them."""
        self.on_refused(items)
        self._lose(len(items))
        self._say("refused", f"{self._endpoint} refuses the {self._signal}", answer)

    def delayed(self, answer: Answer) -> None:
        """The endpoint does not take anything now."""
        self.is_delayed = True
        self._say_delayed(answer.why)

    def given_up(self) -> None:
        """Nobody waits any longer for the endpoint to answer."""
        if self.is_asking and not self.is_delayed:
            self._say_delayed("it does not answer")

    def close(self) -> None:
        """Let go of the connection."""
        self._sender.close()

    def _lose(self, count: int) -> None:
        with self._lock:
            self.lost += count
        self.on_lost(count)

    def _say_delayed(self, why: str) -> None:
        said = f"{self._signal} cannot be sent to {self._endpoint} now"
        self._journal.is_(
            self._signal, "delayed", f"{said} ({why}): events wait in the black boxes"
        )

    def _say(self, state: str, sentence: str, answer: Answer) -> None:
        found = (advice for start, advice in _ADVICE.items() if answer.why.startswith(start))
        advice = next(found, "").format(signal=self._signal, SIGNAL=self._signal.upper())
        self._journal.is_(
            self._signal, state, f"{sentence} ({answer.why}): {self.lost} lost so far{advice}"
        )


def _nothing(items: object) -> None:
    """Nothing needs to be remembered."""
