"""The form of a recording: a header line, then one line for each moment that is kept."""

from typing import Annotated, Any

import msgspec

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Role
from kvtrace.moments import Ended, Lost, Moment, Record, Watched
from kvtrace.wire import KINDS, attributes, decoder, from_attributes, kind

VERSION = 1
"""Of the form, not of kvtrace."""

SILENCE = 1_000_000_000
"""Nanoseconds that pass without a line before silence is worth one."""

SPEAKERS = 16_384
"""That a writer remembers; beyond that it introduces anew, under new numbers, who goes on."""

Nanoseconds = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Instant = Annotated[int, msgspec.Meta(ge=0)]
"""Nanoseconds by a clock that may be wrong: below LATEST."""

LATEST = 1 << 64
"""No black box can tell of a later instant, nor a constraint of a greater number."""

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: what form this is, and what its times count from."""

    kvtrace: int
    """The version of the form."""

    version: str = ""
    """Of the kvtrace that wrote it."""

    started_at: Instant = 0
    """Nanoseconds since the epoch."""

    monotonic: Nanoseconds = 0
    """Nanoseconds of the recorder's monotonic clock at that instant."""

    clock: str = ""
    """The boot id that `monotonic` belongs to."""


class Speaker(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What many events have alike, said once; `by` is its number in this recording."""

    by: Count
    process: str
    clock: str = ""
    engine: str = ""
    role: Role | None = None
    rank: int = SCHEDULER
    thread: str = ""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What every event's line has beside the event's own attributes."""

    by: Count
    seq: Annotated[int, msgspec.Meta(ge=0)]
    """Below LATEST: a sender may count as far as it can tell."""

    at: Instant
    wall: Instant


_ZERO = ord("0")
_SHORT = 18
"""Digits of which every number is an instant below the latest."""

_QUOTED = {b'"%s"' % name.encode(): cls for name, cls in KINDS.items()}
"""Every kind of event by its name as it stands in a line."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[Nanoseconds, str, dict[str, Any]]).decode
_decode_header = msgspec.json.Decoder(Header).decode


def header_line(header: Header) -> bytes:
    """The first line, with its line end."""
    return _encode(header) + b"\n"


def header_of(line: bytes) -> Header:
    """What the first line says; raises WireError where it is not one."""
    try:
        header = _decode_header(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"not the header of a recording: {error}") from error
    if header.started_at >= LATEST:
        raise WireError("not the header of a recording: no clock is that late")
    return header


class Scribe:
    """Turns moments into lines; one for each recording, since speakers are numbered."""

    def __init__(self, header: Header) -> None:
        self._start = header.monotonic
        self._speakers: dict[tuple[object, ...], int] = {}
        self._introductions = 0
        self._written = header.monotonic

    def lines(self, moment: Moment) -> bytes:
        """What to append for this moment; nothing for silence just after another line."""
        news = moment.news
        if news is None and moment.at - self._written < SILENCE:
            return b""
        self._written = moment.at
        after = moment.at - self._start
        match news:
            case None:
                return _line(after, "silence", {})
            case Record():
                return self._event(after, news)
            case Lost():
                return _line(after, "lost", _counts(news))
            case Ended():
                return _line(after, "ended", msgspec.structs.asdict(news))
            case Watched():
                return _line(after, "watched", msgspec.structs.asdict(news))

    def _event(self, after: int, record: Record) -> bytes:
        key = (record.process, record.clock, record.engine, record.role, record.rank, record.thread)
        number = self._speakers.get(key)
        introduction = b""
        if number is None:
            if len(self._speakers) >= SPEAKERS:
                self._speakers.clear()
            number = self._introductions = self._introductions + 1
            self._speakers[key] = number
            introduction = _line(after, "speaker", _introduced(number, record))
        envelope = {"by": number, "seq": record.seq, "at": record.at, "wall": record.wall}
        return introduction + _line(
            after, kind(record.event), {**envelope, **attributes(record.event)}
        )


class Reader:
    """Turns lines back into moments; one for each recording."""

    def __init__(self, header: Header) -> None:
        self._start = header.monotonic
        self.speakers: dict[int, Speaker] = {}
        """Those that were introduced last, at most as many as a writer remembers."""

    def moment(self, line: bytes) -> Moment | None:
        """The moment that this line keeps; None where it only introduces a speaker.

        Raises WireError; UnknownKindError where a newer kvtrace wrote it.
        """
        try:
            after, name, given = _decode(line)
            return self._read(self._start + after, name, given)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise WireError(f"not a line of a recording: {error}") from error

    def event(self, line: bytes) -> Moment | None:
        """The same of an event's line just as `Scribe` writes it; None for any other line.

        Most lines are such, and a whole recording is read in some seven eighths of the time so.
        """
        head, _, rest = line.partition(b",")
        name, _, told = rest.partition(b",")
        after, cls = head[1:], _QUOTED.get(name)
        if cls is None or head[:1] != b"[" or line[-2:] != b"]\n":
            return None
        if not after.isdigit() or len(after) > _SHORT or (after[0] == _ZERO and after != b"0"):
            return None
        try:
            given = decoder(cls, Envelope)(told[:-2])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        take = given.pop
        speaker, seq, at, wall = (
            self.speakers.get(take("by")),
            take("seq"),
            take("at"),
            take("wall"),
        )
        if speaker is None or at >= LATEST or wall >= LATEST or seq >= LATEST:
            return None
        return Moment(self._start + int(after), _record(speaker, (seq, at, wall), cls(**given)))

    def _read(self, at: int, name: str, given: dict[str, Any]) -> Moment | None:
        if "." in name:
            return Moment(at, self._record(name, given))
        match name:
            case "silence":
                return Moment(at)
            case "lost":
                return Moment(at, msgspec.convert(given, Lost))
            case "ended":
                return Moment(at, msgspec.convert(given, Ended))
            case "watched":
                return Moment(at, msgspec.convert(given, Watched))
            case "speaker":
                speaker = msgspec.convert(given, Speaker)
                self._meet(speaker)
                return None
            case _:
                raise UnknownKindError(f"no line is called {name!r}")

    def _meet(self, speaker: Speaker) -> None:
        self.speakers.pop(speaker.by, None)
        self.speakers[speaker.by] = speaker
        if len(self.speakers) > SPEAKERS:
            del self.speakers[next(iter(self.speakers))]

    def _record(self, name: str, given: dict[str, Any]) -> Record:
        envelope = msgspec.convert(given, Envelope)
        if max(envelope.at, envelope.wall, envelope.seq) >= LATEST:
            raise WireError("no clock is that late, and nobody counts as far")
        speaker = self.speakers.get(envelope.by)
        if speaker is None:
            raise WireError(f"speaker {envelope.by} was not introduced")
        counted = envelope.seq, envelope.at, envelope.wall
        return _record(speaker, counted, from_attributes(name, given))


def _record(speaker: Speaker, counted: tuple[int, int, int], event: AnyEvent) -> Record:
    seq, at, wall = counted
    return Record(
        process=speaker.process,
        seq=seq,
        at=at,
        wall=wall,
        clock=speaker.clock,
        engine=speaker.engine,
        role=speaker.role,
        rank=speaker.rank,
        thread=speaker.thread,
        event=event,
    )


def after_start(line: bytes) -> int | None:
    """How long after the start this line was written, in nanoseconds; None where it is damaged."""
    try:
        return _decode(line)[0]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def json_text(text: str) -> bytes:
    """How the text stands within a line, without its quotation marks."""
    return _encode(text)[1:-1]


def when_of(line: bytes, text: str) -> int | None:
    """How long after the start this line was written, if it names a request with that in its id."""
    try:
        after, _, given = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    named = (given.get("request"), given.get("remote_request"))
    return after if any(isinstance(name, str) and text in name for name in named) else None


def _introduced(number: int, record: Record) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(
        Speaker(
            by=number,
            process=record.process,
            clock=record.clock,
            engine=record.engine,
            role=record.role,
            rank=record.rank,
            thread=record.thread,
        )
    )
    return found


def _counts(lost: Lost) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(lost).items() if value}


def _line(after: int, name: str, given: dict[str, Any]) -> bytes:
    return _encode((after, name, given)) + b"\n"
