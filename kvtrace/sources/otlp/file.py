"""Reads a file of export requests, as a Collector's file exporter writes it: JSON, one a line."""

import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, FileIO
from pathlib import Path

from kvtrace.errors import ReceiverError, RecordingError, WireError
from kvtrace.moments import Lost, Moment, News, Record
from kvtrace.recording import Header
from kvtrace.sources.otlp.decode import Decoder, Signal
from kvtrace.sources.otlp.json_form import protobuf_of
from kvtrace.sources.otlp.refusal import RefusedError
from kvtrace.sources.otlp.tally import Tally

KINDS = {
    b'"resourceLogs"': Signal.LOGS,
    b'"resourceSpans"': Signal.TRACES,
    b'"resourceMetrics"': Signal.METRICS,
}
"""What a line begins with, after its brace, by the signal that it is of."""

PEEKED = 4_096
"""Bytes that tell whether a file is one of these."""

LONGEST = 64 << 20
"""Bytes of a line; a Collector's batches are far smaller."""

GZIP = b"\x1f\x8b"


def is_otlp(beginning: bytes) -> bool:
    """Whether a file that begins so holds export requests in OTLP's JSON form."""
    text = beginning.lstrip()
    return text.startswith(b"{") and text[1:].lstrip().startswith(tuple(KINDS))


class OtlpFile:
    """The moments of such a file: time is that of the engines' wall clocks."""

    def __init__(
        self, path: Path, *, now: Callable[[], int] = time.time_ns, longest: int = LONGEST
    ) -> None:
        """Opens it; raises RecordingError where it cannot be read."""
        self.name = str(path)
        self.tally = Tally()
        """What was in it, as far as it was read."""

        self.damage = ""
        """What was wrong with it, as far as it was read."""

        self._now = now
        self._longest = longest
        try:
            raw = BufferedReader(FileIO(path))
            packed = raw.peek(2)[:2] == GZIP
        except OSError as error:
            raise RecordingError(
                f"{path} cannot be read ({error.strerror}): check its name and its mode"
            ) from error
        self._raw = raw
        self._stream = gzip.GzipFile(fileobj=raw, mode="rb") if packed else raw
        self.header = Header(kvtrace=1, clock="")

    def __iter__(self) -> Iterator[Moment]:
        """Every event in the file; the last moment is the instant of the latest of them."""
        at = 0
        for news in self._news():
            if isinstance(news, Record):
                at = max(at, min(news.wall, self._now()))
            yield Moment(at, news)
        yield Moment(at)

    def close(self) -> None:
        """Lets go of the file."""
        self._raw.close()

    def _news(self) -> Iterator[News]:
        decoder = Decoder()
        for line in self._lines():
            name = next((name for name in KINDS if name in line[:64]), None)
            try:
                if name is None:
                    raise WireError("not an export request")
                raw = protobuf_of(KINDS[name], line)
                for news in decoder.read(KINDS[name], raw, self.tally):
                    yield from news
            except (WireError, RefusedError, ReceiverError):
                self.damage = self.damage or "has lines that are no export requests"
                yield Lost(unreadable=1)

    def _lines(self) -> Iterator[bytes]:
        try:
            # Of a longer line every part counts as one that cannot be read.
            while line := self._stream.readline(self._longest):
                if line.strip():
                    yield line
        except (EOFError, zlib.error, OSError) as error:
            self.damage = f"ends early, because it cannot be read ({error})"
            yield b"?"
