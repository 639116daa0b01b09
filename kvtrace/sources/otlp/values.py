"""Attributes out of their bytes: the common forms by hand, every other one by protobuf."""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from kvtrace.errors import WireError
from kvtrace.signals.values import Value

Pair: TypeAlias = tuple[str, Value]

KEPT = 8192
"""Attributes that are remembered, since most come again: ids, roles, ranks, names."""

LONGEST = 200
"""Bytes of an attribute that is remembered."""

MOST = 1000
"""Attributes of one record; no event has a tenth of them."""

_KEY, _VALUE, _TEXT, _NUMBER = 0x0A, 0x12, 0x0A, 0x18
"""Tags of a key, a value, a string and an integer in their canonical places."""

_SHORT = 0x80
"""A length below it takes one byte."""

_BEFORE = 5
"""Bytes before a short value beside its key: two tags, two lengths, and the tag of its kind."""

K = TypeVar("K")


class Attributes:
    """Reads attributes, and remembers those that are likely to come again."""

    def __init__(self) -> None:
        self._known: dict[bytes, Pair] = {}
        self._begun: dict[bytes, tuple[str, int]] = {}
        """What stands before an integer that is not remembered: its key, and the size of all."""

    def read(self, given: Sequence[bytes]) -> dict[str, Value]:
        """The attributes by key, the last of each; one under no key stands for all we cannot use.

        Raises WireError where bytes are no attribute, or where they are absurdly many.
        """
        if len(given) > MOST:
            raise WireError(f"a record with {len(given)} attributes")
        known = self._known.get
        return dict([known(raw) or self._learn(raw) for raw in given])

    def _learn(self, raw: bytes) -> Pair:
        start = raw[1] + _BEFORE if len(raw) > 1 else 0
        begun = self._begun.get(raw[:start])
        if begun is not None and begun[1] == len(raw):
            number = _number(raw[start:])
            if number is not None:
                return begun[0], number
        try:
            quick = _quick(raw)
            pair = quick or _slow(raw)
        except (DecodeError, UnicodeDecodeError) as error:
            raise WireError(f"not an attribute: {error}") from error
        # A number that takes more than two bytes counts or tells the time: it seldom comes again.
        if type(pair[1]) is int and not -1 <= pair[1] < 1 << 14:
            if quick is not None:
                _keep(self._begun, raw[:start], (pair[0], len(raw)))
        elif len(raw) <= LONGEST:
            _keep(self._known, raw, pair)
        return pair


def _keep(known: dict[bytes, K], raw: bytes, what: K) -> None:
    """Remember it; beyond the limit all is forgotten."""
    if len(known) >= KEPT:
        known.clear()
    known[raw] = what


def _quick(raw: bytes) -> Pair | None:
    """A string or an integer as every encoder writes it; None for anything else."""
    size = len(raw)
    if size < 6 or raw[0] != _KEY or raw[1] >= _SHORT:
        return None
    at = raw[1] + 2
    if at + 4 > size or raw[at] != _VALUE or raw[at + 1] >= _SHORT or raw[at + 1] + at + 2 != size:
        return None
    kind = raw[at + 2]
    if kind == _TEXT and raw[at + 3] == size - at - 4:
        return raw[2:at].decode(), raw[at + 4 :].decode()
    number = _number(raw[at + 3 :]) if kind == _NUMBER else None
    return None if number is None else (raw[2:at].decode(), number)


def _number(raw: bytes) -> int | None:
    """The integer that all of these bytes make; None where they make none, or a negative one."""
    number = shift = 0
    for byte in raw:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < _SHORT:
            # Longer ones are negative, or not canonical.
            return number if shift == 7 * len(raw) and shift < 64 else None
    return None


def _slow(raw: bytes) -> Pair:
    parsed = KeyValue.FromString(raw)
    value = plain(parsed.value)
    return ("", "") if value is None else (parsed.key, value)


def plain(value: Any) -> Value | None:
    """What an AnyValue holds; None for nothing, for maps, and for lists of anything but one
    of strings or integers."""
    match value.WhichOneof("value"):
        case "array_value":
            inner: Any = tuple(plain(one) for one in value.array_value.values)
            return inner if _is_alike(inner) else None
        case None | "kvlist_value":
            return None
        case name:
            found: Value = getattr(value, name)
            return found


def _is_alike(values: tuple[Any, ...]) -> bool:
    kinds = {type(value) for value in values}
    return kinds <= {str} or kinds <= {int}
