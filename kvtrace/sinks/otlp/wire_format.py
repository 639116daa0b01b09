"""Protobuf's wire format, as far as OTLP's export requests need it."""

_LAST = tuple(bytes((number,)) for number in range(0x80))
_PAIRS = tuple(bytes((n & 0x7F | 0x80, n >> 7 | 0x80)) for n in range(1 << 14))
"""The next fourteen bits of a number that has more."""

_ALL = (1 << 64) - 1


def varint(number: int) -> bytes:
    """A number that is not negative: seven bits a byte, the lowest first."""
    if number < 0x80:
        return _LAST[number]
    found = b""
    while number >= 0x4000:
        found += _PAIRS[number & 0x3FFF]
        number >>= 14
    if number < 0x80:
        return found + _LAST[number]
    return found + _PAIRS[number & 0x7F][:1] + _LAST[number >> 7]


def signed(number: int) -> bytes:
    """An int64, which takes ten bytes where it is negative."""
    return varint(number if number >= 0 else number & _ALL)


def sized(content: bytes) -> bytes:
    """These bytes after their length."""
    return varint(len(content)) + content


__all__ = ["signed", "sized", "varint"]
