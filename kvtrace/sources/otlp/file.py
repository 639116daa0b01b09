"""Reads a file of export requests in JSON: one a line, as a Collector writes it, or laid out."""

import gzip
import re
import time
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, FileIO
from pathlib import Path

from kvtrace import words
from kvtrace.errors import ReceiverError, RecordingError, WireError
from kvtrace.moments import Lost, Moment, News, Record
from kvtrace.recording import Header
from kvtrace.sources.otlp.cutter import NAMES, STRANGE, Cutter, Piece
from kvtrace.sources.otlp.decode import MOST, Decoder, Signal
from kvtrace.sources.otlp.json_form import protobuf_of
from kvtrace.sources.otlp.refusal import RefusedError
from kvtrace.sources.otlp.tally import Tally
from kvtrace.sources.recording import GZIP, STANDARD_INPUT, part_read

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
        source: Path | BufferedReader,
        *,
        now: Callable[[], int] = time.time_ns,
        longest: int = LONGEST,
        most: int = MOST,
    ) -> None:
        """Opens it, or goes on with the open standard input; raises RecordingError where it
        cannot be read.

        A resource may take `longest` bytes and hold `most` records.
        """
        self.name = str(source) if isinstance(source, Path) else STANDARD_INPUT
        self.tally = Tally()
        """What was in it, as far as it was read."""

        self._first = ""
        """What was wrong with it first, and where."""

        self._places = 0
        """How often something was."""

        self._unreadable = 0
        """The line of the first resource with something in it that could not be read."""

        self._now = now
        self._longest = longest
        self._most = most
        try:
            raw = _opened(source)
            packed = raw.peek(2)[:2] == GZIP
        except OSError as error:
            raise RecordingError(
                f"{self.name} cannot be read ({error.strerror}): check its name and its mode"
            ) from error
        self._raw = raw
        self._stream = gzip.GzipFile(fileobj=raw, mode="rb") if packed else raw
        self.header = Header(kvtrace=1, clock="")

    @property
    def damage(self) -> str:
        """What was wrong with it, as far as it was read; empty where nothing was."""
        more = self._places - 1
        return f"{self._first} (and {words.count(more)} more)" if more > 0 else self._first

    @property
    def part(self) -> float | None:
        """How much of the file is read, from 0 to 1; None where only reading tells."""
        return part_read(self._raw)

    @property
    def has_holes(self) -> bool:
        """Whether something in it could not be read, so that more may have happened."""
        return bool(self._places or self.tally.unreadable)

    @property
    def told(self) -> str:
        """What in it was passed over, as a sentence without its subject; empty for nothing."""
        tally = self.tally
        if not tally.records:
            return "holds no log record, span or metric"
        parts = (
            (tally.foreign, "not kvtrace's", ""),
            (tally.metrics, "metrics", ""),
            (tally.unreadable, "unreadable", f", the first in line {self._unreadable}"),
            (tally.unknown, "of a newer kvtrace", ""),
        )
        said = [f"{words.count(count)} {what}{where}" for count, what, where in parts if count]
        return f"holds {words.many(tally.records, 'record')}, {'; '.join(said)}" if said else ""

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
        decoder, lost = Decoder(self._most), 0
        for piece in self._pieces():
            for news in self._read(decoder, piece):
                if news is None:
                    lost += 1
                    continue
                # Whatever fills a file with rubbish must not fill a report with it.
                if lost:
                    yield Lost(unreadable=lost)
                    lost = 0
                yield news
        if lost:
            yield Lost(unreadable=lost)

    def _read(self, decoder: Decoder, piece: Piece) -> Iterator[News | None]:
        """What is in the piece; None where something is wrong with it."""
        if piece.wrong:
            self._hurt(piece.wrong, piece.line)
            yield None
            return
        if _SCOPE not in piece.body:
            return
        # The limit of a decoder is on one request, and the file has many.
        tally = Tally()
        try:
            raw = protobuf_of(SIGNALS[piece.name], piece.body)
            for news in decoder.read(SIGNALS[piece.name], raw, tally):
                yield from news
        except (WireError, RefusedError, ReceiverError) as error:
            self._hurt(STRANGE, piece.line + _lines_before(str(error), piece.body))
            yield None
        if tally.unreadable or tally.unknown:
            yield Lost(unreadable=tally.unreadable, unknown=tally.unknown)
        if tally.unreadable:
            self._unreadable = self._unreadable or piece.line
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

    def _hurt(self, wrong: str, line: int) -> None:
        """Take note of what is wrong, and of where the first such is."""
        self._places += 1
        self._first = self._first or (f"{wrong}, in line {line}" if line else wrong)


def _opened(source: Path | BufferedReader) -> BufferedReader:
    return BufferedReader(FileIO(source)) if isinstance(source, Path) else source


def _lines_before(error: str, body: bytes) -> int:
    """How many lines of the body come before what an error says is wrong in it."""
    found = _BYTE.search(error)
    return body.count(b"\n", 0, int(found[1])) if found else 0


_SCOPE = b'"scope'
"""How the field begins that holds all records of a resource."""

_BYTE = re.compile(r"\(byte (\d+)\)")
