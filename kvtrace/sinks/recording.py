"""Writes moments to a recording file, so that whatever ends the recorder leaves a readable file."""

import fcntl
import os
import stat
import zlib
from io import FileIO
from pathlib import Path
from types import TracebackType

from kvtrace.errors import RecordingError
from kvtrace.moments import Moment, Record
from kvtrace.recording import Header, Scribe, header_line

FLUSH = 1_000_000_000
"""Nanoseconds that a line may wait before it is in the file."""

PENDING = 1 << 16
"""Bytes that may wait before they are in the file."""

GZIP = 16 + zlib.MAX_WBITS
"""Asks zlib for gzip's container."""


class RecordingWriter:
    """An open recording; whatever writes raises RecordingError where the disk refuses."""

    def __init__(self, path: Path, header: Header, *, force: bool = False) -> None:
        """Makes the file; refuses one that exists, unless forced."""
        self.path = path
        self.events = 0
        self.size = 0
        """Bytes in the file so far."""

        self._file = _created(path, force)
        self._zip = zlib.compressobj(wbits=GZIP) if path.suffix == ".gz" else None
        self._scribe = Scribe(header)
        self._pending = bytearray(header_line(header))
        self._flushed = header.monotonic
        self.flush()

    def write(self, moment: Moment) -> None:
        """Keeps this moment; it is in the file at the latest a second of moments later."""
        self._pending += self._scribe.lines(moment)
        self.events += isinstance(moment.news, Record)
        if moment.at - self._flushed >= FLUSH or len(self._pending) >= PENDING:
            self._flushed = moment.at
            self.flush()

    def flush(self) -> None:
        """Puts what waits into the file."""
        whole, self._pending = bytes(self._pending), bytearray()
        if not whole:
            return
        if self._zip is None:
            self._append(whole)
        else:
            # Ends a block, so that what a killed recorder leaves can be unpacked.
            self._append(self._zip.compress(whole) + self._zip.flush(zlib.Z_SYNC_FLUSH))

    def close(self) -> None:
        """Ends the file; a second call, or one after an error, does nothing."""
        if self._file.closed:
            return
        self.flush()
        if self._zip is not None:
            self._append(self._zip.flush())
        self._file.close()

    def _append(self, whole: bytes) -> None:
        # Not buffered: what a full disk refused would be tried again, and refused, at exit.
        rest = memoryview(whole)
        try:
            while rest:
                written = self._file.write(rest) or 0
                self.size += written
                rest = rest[written:]
        except OSError as error:
            self._file.close()
            raise _refused(self.path, error) from error

    def __enter__(self) -> "RecordingWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _created(path: Path, force: bool) -> FileIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (0 if force else os.O_EXCL)
    try:
        # Recordings name requests, so they are the user's own.
        file = FileIO(os.open(path, flags, 0o600), "wb")
    except IsADirectoryError as error:
        raise RecordingError(f"{path} is a directory: name a file in it") from error
    except FileExistsError as error:
        if path.is_dir():
            raise RecordingError(f"{path} is a directory: name a file in it") from error
        raise RecordingError(
            f"{path} exists: choose another name, or say --force to overwrite it"
        ) from error
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be made ({error.strerror}): choose another place"
        ) from error
    try:
        _take(file)
    except BlockingIOError as error:
        file.close()
        raise RecordingError(
            f"{path} is being written by another process: choose another name"
        ) from error
    return file


def _take(file: FileIO) -> None:
    """Empties the file, unless a recorder is at work on it, or an engine has it as its black box.

    Raises BlockingIOError then.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # A file system without locks is no reason not to record.
        pass
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.truncate(0)


def _refused(path: Path, error: OSError) -> RecordingError:
    return RecordingError(
        f"{path} cannot be written any further ({error.strerror}): "
        "what it holds so far stays readable; make room, and record to another file"
    )
