"""Reads a file of export requests in JSON: one a line, as a Collector writes it, or laid out."""

import gzip
import re
import time
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, FileIO
from pathlib import Path

from kvtrace.errors import ReceiverError, RecordingError, WireError
from kvtrace.moments import Lost, Moment, News, Record
from kvtrace.recording import Header
from kvtrace.sources.otlp.cutter import NAMES, STRANGE, Cutter, Piece
from kvtrace.sources.otlp.decode import MOST, Decoder, Signal
from kvtrace.sources.otlp.json_form import protobuf_of
from kvtrace.sources.otlp.refusal import RefusedError
from kvtrace.sources.otlp.tally import Tally
from kvtrace.sources.recording import GZIP

SIGNALS = dict(zip(NAMES, (Signal.LOGS, Signal.TRACES, Signal.METRICS), strict=True))

LONGEST = 64 << 20
"""Bytes of one resource in a request; a Collector's batches are far smaller."""

CHUNK = 1 << 20
"""Bytes of a line that are looked at together."""

BOM = b"\xef\xbb\xbf"


def is_otlp(beginning: bytes) -> bool:
    """Whether a file that begins so holds export requests in OTLP's JSON form."""
    text = beginning.removeprefix(BOM).lstrip()
    return text.startswith((b"{", b"[")) and any(b'"%b"' % name in text for name in NAMES)


class OtlpFile:
    """The moments of such a file: time is that of the engines' wall clocks."""

    def __init__(
        self,
        path: Path,
        *,
        now: Callable[[], int] = time.time_ns,
        longest: int = LONGEST,
        most: int = MOST,
    ) -> None:
        """Opens it; raises RecordingError where it cannot be read.

        A resource may take `longest` bytes and hold `most` records.
        """
        self.name = str(path)
        self.tally = Tally()
        """What was in it, as far as it was read."""

        self.damage = ""
        """What was wrong with it, as far as it was read."""

        self._now = now
        self._longest = longest
        self._most = most
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
        decoder = Decoder(self._most)
        for piece in self._pieces():
            if piece.wrong:
                yield self._hurt(piece.wrong, piece.line)
                continue
            # The limit of a decoder is on one request, and the file has many.
            tally = Tally()
            try:
                raw = protobuf_of(SIGNALS[piece.name], piece.body)
                for news in decoder.read(SIGNALS[piece.name], raw, tally):
                    yield from news
            except (WireError, RefusedError, ReceiverError) as error:
                yield self._hurt(STRANGE, piece.line + _lines_before(str(error), piece.body))
            self.tally.add(tally)

    def _pieces(self) -> Iterator[Piece]:
        cutter = Cutter(self._longest)
        try:
            first = self._stream.readline(CHUNK).removeprefix(BOM)
            yield from cutter.take(first)
            while line := self._stream.readline(CHUNK):
                yield from cutter.take(line)
            yield from cutter.end()
        except (EOFError, zlib.error, OSError) as error:
            yield Piece(0, wrong=f"ends early, because it cannot be read ({error})")

    def _hurt(self, wrong: str, line: int) -> Lost:
        """Take note of the first thing that is wrong, and where."""
        self.damage = self.damage or (f"{wrong}, in line {line}" if line else wrong)
        return Lost(unreadable=1)


def _lines_before(error: str, body: bytes) -> int:
    """How many lines of the body come before what an error says is wrong in it."""
    found = _BYTE.search(error)
    return body.count(b"\n", 0, int(found[1])) if found else 0


_BYTE = re.compile(r"\(byte (\d+)\)")
