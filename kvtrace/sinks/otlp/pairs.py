"""Attributes as the bytes of OTLP's key-value pairs; what comes again is not encoded again."""

from typing import TypeVar

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.logs import fields_of, place_of, whose_of
from kvtrace.signals.values import Attributes, Value
from kvtrace.sinks.otlp.wire_format import sized, varint

KEPT = 4096
"""Texts of one attribute that are remembered: ids, names, roles."""

LONGEST = 200
"""Characters of a text that is remembered."""

NAMES = 4096
"""Names of attributes that are remembered, threads, and processes: facts may have any name."""

K = TypeVar("K")
V = TypeVar("V")

_KEY, _VALUE = b"\x0a", b"\x12"
_TEXT, _NUMBER = b"\x0a", b"\x18"
_TRUE, _FALSE = b"\x10\x01", b"\x10\x00"
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


class Pairs:
    """Encodes attributes, and remembers; threads may share it."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, bytes]] = {}
        self._numbers: dict[str, tuple[bytes, ...]] = {}
        self._places: dict[tuple[Role | None, int, str], list[bytes]] = {}
        self._whose: dict[tuple[str, str, str], list[bytes]] = {}

    def of_record(self, record: Record) -> list[bytes]:
        """The attributes that a log record and a span event of it have alike."""
        key = record.role, record.rank, record.thread
        place = self._places.get(key)
        if place is None:
            place = _keep(self._places, key, self.of(place_of(record)))
        seq, at = varint(record.seq), varint(record.at)
        found = [_SEQ[len(seq)] + seq, _AT[len(at)] + at, *place]
        found += self.of(fields_of(record.event))
        return found

    def of_whose(self, record: Record) -> list[bytes]:
        """Whose it is, which only a span event tells."""
        key = record.process, record.clock, record.engine
        known = self._whose.get(key)
        return known or _keep(self._whose, key, self.of(whose_of(record)))

    def of(self, attributes: Attributes) -> list[bytes]:
        """Each pair after its length, without a tag: who puts it into a message knows which."""
        found: list[bytes] = []
        for name, value in attributes.items():
            # This runs for each attribute that is sent, and no look-up is made twice.
            if type(value) is str:
                known = self._texts.get(name)
                pair = known.get(value) if known is not None else None
                found.append(pair or self._learn(name, value))
            elif type(value) is int and _LEAST <= value <= _MOST:
                number = varint(value)
                starts = self._numbers.get(name)
                if starts is None:
                    starts = _keep(self._numbers, name, _begin(name))
                found.append(starts[len(number)] + number)
            else:
                found.append(sized(_head(name) + sized(_rare(value))))
        return found

    def _learn(self, name: str, text: str) -> bytes:
        made = sized(_head(name) + sized(_TEXT + sized(utf8(text))))
        if len(text) <= LONGEST:
            if name not in self._texts and len(self._texts) >= NAMES:
                self._texts.clear()
            known = self._texts.setdefault(name, {})
            if len(known) >= KEPT:
                known.clear()
            known[text] = made
        return made


def _keep(known: dict[K, V], key: K, made: V) -> V:
    """Remember it; beyond the limit all is forgotten."""
    if len(known) >= NAMES:
        known.clear()
    known[key] = made
    return made


def _begin(name: str) -> tuple[bytes, ...]:
    """All that stands before a number of so many bytes."""
    head = _head(name)
    starts = []
    for size in range(11):
        value = varint(size + 1) + _NUMBER
        starts.append(varint(len(head) + len(value) + size) + head + value)
    return tuple(starts)


def _head(name: str) -> bytes:
    return _KEY + sized(utf8(name)) + _VALUE


def _rare(value: Value) -> bytes:
    """The AnyValue that holds this; what none can hold as it is, is told as text."""
    match value:
        case bool():
            return _TRUE if value else _FALSE
        case int() if _LEAST <= value <= _MOST:
            return _NUMBER + varint(value)
        case float():
            return bytes(AnyValue(double_value=value).SerializeToString())
        case bytes():
            return bytes(AnyValue(bytes_value=value).SerializeToString())
        case tuple():
            return b"\x2a" + sized(b"".join(b"\x0a" + sized(_rare(one)) for one in value))
        case _:
            return _TEXT + sized(utf8(str(value)))


def utf8(text: str) -> bytes:
    """The text, with a question mark for what UTF-8 cannot say."""
    return text.encode("utf-8", "replace")


_SEQ, _AT = _begin("kvtrace.seq"), _begin("kvtrace.at")
