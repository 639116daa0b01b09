"""Protobuf's wire format, as far as OTLP's export requests need it."""

_HALF = 1 << 7
_WHOLE = 1 << 14
"""Numbers below take two bytes at most, and are looked up."""

_ENDS = tuple(
    bytes((n,)) if n < _HALF else bytes((n % _HALF | _HALF, n // _HALF)) for n in range(_WHOLE)
)
_BEGINNINGS = tuple(bytes((n % _HALF | _HALF, n // _HALF | _HALF)) for n in range(_WHOLE))
"""The lowest fourteen bits of a number that has more."""

_ALL = (1 << 64) - 1


def varint(number: int) -> bytes:
    """An int64 or uint64: seven bits a byte, the lowest first; ten bytes where it is negative."""
    if 0 <= number < _WHOLE:
        return _ENDS[number]
    number &= _ALL
    found = b""
    while number >= _WHOLE:
        found += _BEGINNINGS[number % _WHOLE]
        number >>= 14
    return found + _ENDS[number]


def sized(content: bytes) -> bytes:
    """These bytes after their length."""
    size = len(content)
    return (_ENDS[size] if size < _WHOLE else varint(size)) + content
