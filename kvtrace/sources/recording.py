"""Reads a recording back into the moments it was made of, up to where it is damaged."""

import gzip
import os
import stat
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TypeAlias

import msgspec

from kvtrace.errors import RecordingError, UnknownKindError, WireError
from kvtrace.moments import Lost, Moment
from kvtrace.recording import (
    VERSION,
    Header,
    Reader,
    Speaker,
    after_start,
    header_of,
    json_text,
    when_of,
)
from kvtrace.sources.upgrade import readable, upgraded

LONGEST = 1 << 20
"""Bytes of a line; what is longer is not ours."""

Stream: TypeAlias = BufferedReader | gzip.GzipFile

_PART = 1 << 18
_OF_GZIP = 31
"""What zlib wants to be told."""

GZIP = b"\x1f\x8b"
"""How compressed recordings begin, whatever they are called."""

STANDARD_INPUT = "the standard input"
"""What it is called where others are called by their path."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where in a recording one has come to, to go on from there again."""

    offset: int
    """Bytes, unpacked."""

    last: int
    damage: str
    speakers: dict[int, Speaker]


class Recording:
    """An open recording: its header at once, then its moments, which can be had once."""

    def __init__(self, raw: BufferedReader, name: str) -> None:
        """Reads the header; raises RecordingError where this is no recording we can play."""
        self.name = name
        self.damage = ""
        """What was wrong with it, as far as it was read; empty while nothing was."""

        self.has_holes = False
        """Whether something before its end could not be read, so that more may have happened."""

        self._raw = raw
        try:
            self._stream = _unzipped(raw)
        except OSError as error:
            raise _unreadable(name, error) from error
        self._size = _size(raw)
        self.header = self._read_header()
        self._reader = Reader(self.header)
        self._last = self.header.monotonic

    def __iter__(self) -> Iterator[Moment]:
        """Every moment, and one at least; each thing that cannot be read is a Lost among them."""
        told = self.damage.startswith("ends")
        empty = self._last == self.header.monotonic
        read, present = self._reader.event, self.header.kvtrace == VERSION
        while line := self._readline():
            moment = read(line) if present else None
            if moment is None or moment.at < self._last:
                moment = self._moment(line, self._last)
            if moment is not None:
                empty, self._last = False, moment.at
                yield moment
        if self.damage.startswith("ends") and not told:
            yield Moment(self._last, Lost(unreadable=1))
        elif empty:
            # The recorder was ended before its first second was over.
            yield Moment(self._last)

    @property
    def part(self) -> float | None:
        """How much of the file is read, from 0 to 1; None where only reading tells."""
        return part_read(self._raw)

    @property
    def place(self) -> Place:
        """Where it was read up to."""
        return Place(
            offset=self._stream.tell(),
            last=self._last,
            damage=self.damage,
            speakers=dict(self._reader.speakers),
        )

    def go(self, place: Place) -> None:
        """Be read from that place on; what iterated over it before is of no more use."""
        # Where it became shorter, or cannot be read any more, reading tells so.
        with suppress(EOFError, zlib.error, OSError):
            self._stream.seek(place.offset)
        self._last, self.damage = place.last, place.damage
        self._reader.speakers = dict(place.speakers)

    def close(self) -> None:
        """Lets go of the file."""
        self._raw.close()

    def _read_header(self) -> Header:
        first = self._readline()
        if not first and not self.damage:
            raise RecordingError(f"{self.name} is empty: nothing was recorded")
        try:
            header = header_of(first)
        except WireError as error:
            raise RecordingError(
                f"{self.name} is not a recording: make one with `kvtrace record FILE`"
            ) from error
        if not readable(header.kvtrace):
            raise RecordingError(
                f"{self.name} is a recording of version {header.kvtrace}, and this kvtrace reads "
                f"up to {VERSION}: replay it with a newer kvtrace ({header.version} wrote it)"
            )
        return header

    def _readline(self) -> bytes:
        """The next line; nothing at the end, whether the file ends well or not."""
        try:
            line = self._stream.readline(LONGEST)
            if not line and self._size is not None and self._stream.tell() < self._size:
                self._hurt("ends early, because it was made shorter while it was read")
            return line
        except EOFError:
            self.damage = "ends in the middle of its compressed bytes"
        except zlib.error:
            self._hurt("ends early, in damaged compressed bytes")
        except OSError as error:
            self._hurt(f"ends early, because it cannot be read ({error.strerror or error})")
        return b""

    def _moment(self, line: bytes, last: int) -> Moment | None:
        try:
            moment = self._reader.moment(upgraded(line, self.header.kvtrace))
        except UnknownKindError:
            return Moment(last, Lost(unknown=1))
        except WireError:
            # A line without an end was being written when the recorder was killed.
            torn = not line.endswith(b"\n") and len(line) < LONGEST
            if torn:
                self.damage = "breaks off in the middle of a line"
            else:
                self._hurt("has damaged lines")
            return Moment(last, Lost(unreadable=1))
        if moment is not None and moment.at < last:
            self._hurt("has lines out of order")
            return Moment(last, moment.news)
        return moment

    def _hurt(self, damage: str) -> None:
        self.damage, self.has_holes = damage, True


def standard_input() -> BufferedReader:
    """It, to be read once; whoever closes the reader does not close it."""
    return BufferedReader(FileIO(0, closefd=False))


def open_recording(path: Path) -> Recording:
    """The recording in this file, compressed or not; `-` is the standard input.

    Raises RecordingError where it cannot be read, or is no recording we can play.
    """
    if str(path) == "-":
        return Recording(standard_input(), STANDARD_INPUT)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        return Recording(raw, str(path))
    except RecordingError:
        raw.close()
        raise


def length(path: Path) -> int | None:
    """Nanoseconds from the start of a recording to its last line; None where only playing tells."""
    if str(path) == "-" or not path.is_file():
        return None
    try:
        with path.open("rb") as raw:
            tail = _packed_tail(raw) if raw.peek(2)[:2] == GZIP else _tail(raw)
    except OSError as error:
        raise _unreadable(path, error) from error
    times = (after_start(line) for line in reversed(tail.splitlines()))
    return next((time for time in times if time is not None), 0)


def first_of(path: Path, text: str) -> int | None:
    """Nanoseconds from the start to the first event of a request whose id has the text in it.

    Raises RecordingError where the file cannot be read.
    """
    wanted = json_text(text)
    try:
        with path.open("rb") as raw:
            for line in _lines(_unzipped(raw)):
                if wanted in line and (found := when_of(line, text)) is not None:
                    return found
    except OSError as error:
        raise _unreadable(path, error) from error
    return None


def _lines(stream: Stream) -> Iterator[bytes]:
    with suppress(EOFError, zlib.error, gzip.BadGzipFile):
        yield from stream


def part_read(raw: BufferedReader) -> float | None:
    """How much of a plain file is read, packed or not, from 0 to 1; else None."""
    if not isinstance(raw.raw, FileIO):
        return None
    told = os.fstat(raw.fileno())
    if not stat.S_ISREG(told.st_mode) or not told.st_size:
        return None
    return min(1.0, raw.tell() / told.st_size)


def _size(raw: BufferedReader) -> int | None:
    """Bytes of a file that is not packed; None where only reading tells."""
    if not isinstance(raw.raw, FileIO):
        return None
    told = os.fstat(raw.fileno())
    packed = not stat.S_ISREG(told.st_mode) or raw.peek(2)[:2] == GZIP
    return None if packed else told.st_size


def _tail(stream: BufferedReader) -> bytes:
    stream.seek(0, 2)
    stream.seek(max(0, stream.tell() - LONGEST))
    return stream.read()


def _packed_tail(packed: BufferedReader) -> bytes:
    """What it ends with, as far as it can be unpacked."""
    kept: deque[bytes] = deque()
    held = 0
    with suppress(EOFError, zlib.error, gzip.BadGzipFile):
        for more in _unpacked(packed):
            kept.append(more)
            held += len(more)
            while kept and held - len(kept[0]) >= LONGEST:
                held -= len(kept.popleft())
    return b"".join(kept)[-LONGEST:]


def _unpacked(packed: BufferedReader) -> Iterator[bytes]:
    """In large parts, without the checks that reading makes later: a whole file at once."""
    unzip = zlib.decompressobj(_OF_GZIP)
    while chunk := packed.read(_PART):
        while chunk:
            yield unzip.decompress(chunk)
            chunk = unzip.unused_data
            if unzip.eof:
                unzip = zlib.decompressobj(_OF_GZIP)


def _unzipped(stream: BufferedReader) -> Stream:
    return gzip.GzipFile(fileobj=stream, mode="rb") if stream.peek(2)[:2] == GZIP else stream


def _unreadable(name: str | Path, error: OSError) -> RecordingError:
    if isinstance(error, IsADirectoryError):
        return RecordingError(
            f"{name} is a directory, and no recording: `kvtrace live --dir` and `kvtrace diagnose` "
            "read black boxes"
        )
    return RecordingError(f"{name} cannot be read ({error.strerror}): check its name and its mode")
