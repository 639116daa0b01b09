"""Cuts JSON into the export requests in it, however they are laid out, in bounded memory.

They may stand one a line, over many lines, one after the other, in an array, or within something
else. Each resource in them becomes a request of its own.
"""

import re
from collections.abc import Iterator

import msgspec

NAMES = (b"resourceLogs", b"resourceSpans", b"resourceMetrics")

STRANGE = "holds something that is no export request"
LONG = "holds more for one resource than fits"
DEEP = "holds brackets nested deeper than in any export request"
TORN = "ends in the middle of an export request"

DEEPEST = 200
"""Brackets within brackets; protobuf's own JSON ends at half of that."""

MOST_VALUES = 2_000_000
"""Brackets and commas of one resource: each becomes an object that takes a hundred bytes."""

HELD = 1 << 16
"""Bytes of a string that are looked at again with what comes next: no name of ours is as long."""

_INNER = rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+'
_TOKEN = re.compile(rb'"' + _INNER + rb'"|[{}\[\]"]')
_REST = re.compile(_INNER)
_FRESH = re.compile(rb'\{\s*"(?:' + b"|".join(NAMES) + rb')"')
_NOTHING = re.compile(rb"[\s,\x1e]*")
_OPENS = {ord("}"): ord("{"), ord("]"): ord("[")}


class Piece(msgspec.Struct, frozen=True):
    """A part that was cut out."""

    line: int
    """Where it begins, or where something is wrong; the first is 1."""

    name: bytes = b""
    """Which of NAMES it is of."""

    body: bytes = b""
    """A request with one resource."""

    wrong: str = ""
    """What is wrong, where it is no request."""


class Cutter:
    """Follows the brackets from line to line."""

    def __init__(self, longest: int, most: int = MOST_VALUES) -> None:
        """`longest` is how many bytes one resource may take, `most` how many values it may hold."""
        self._longest = longest
        self._most = most
        self._line = 1
        self._fresh = True
        """Whether a line begins here, rather than going on."""

        self._astray = False
        """Whether nothing makes sense until a line begins with a bracket."""

        self._element: bytearray | None = None
        self._holder = 0
        """How deep the array of resources is; 0 outside of one."""

        self._strayed = False
        """Whether it was told that something else stands in it."""

        self._forget()

    def take(self, line: bytes) -> Iterator[Piece]:
        """What ends in this line, or in this part of a long one."""
        if self._fresh and self._stack and _FRESH.match(line):
            # Whoever wrote the one before did not come to its end.
            yield self._lose(STRANGE, self._begun)
            self._astray = False
        if self._fresh and line[:1] in (b"{", b"["):
            self._astray = False
        if not self._astray:
            yield from self._cut(self._rest + line)
        self._fresh = line.endswith(b"\n")
        self._line += self._fresh

    def end(self) -> Iterator[Piece]:
        """What is left when there is no more."""
        if (self._stack or self._rest) and not self._dropped:
            yield self._lose(TORN, self._begun)

    def _cut(self, text: bytes) -> Iterator[Piece]:
        self._from = 0
        last = self._rest_of_string(text) if self._quoted else 0
        self._rest = text[last:] if self._quoted else b""
        tokens = () if self._quoted else _TOKEN.finditer(text, last)
        for token in tokens:
            start, end = token.span()
            if len(self._stack) == self._holder and not _NOTHING.fullmatch(text, last, start):
                yield from self._stray()
                if not self._stack:
                    return
            last = end
            if text[start] != _QUOTE:
                yield from self._bracket(text, start)
            elif end - start > 1:
                yield from self._string(text[start + 1 : end - 1])
            else:
                last = start
                self._hold(text, start)
                break
            if self._astray:
                return
        yield from self._keep(text, last)

    def _rest_of_string(self, text: bytes) -> int:
        """Where what is known of a long string ends; behind its end where that is there."""
        found = _REST.match(text)
        end = found.end() if found else 0
        self._quoted = text[end : end + 1] != b'"'
        return end + (not self._quoted)

    def _hold(self, text: bytes, start: int) -> None:
        """Keep the beginning of a string; of a long one, only what may go on: half an escape."""
        self._rest = text[start:]
        if len(self._rest) > HELD:
            found = _REST.match(text, start + 1)
            self._rest = text[found.end() :] if found else b""
            self._key, self._quoted = b"", True

    def _string(self, text: bytes) -> Iterator[Piece]:
        self._key = text
        if len(self._stack) == self._holder:
            yield from self._stray()

    def _stray(self) -> Iterator[Piece]:
        """What stands where only brackets make sense; told once of each array."""
        if not self._stack:
            yield self._lose(STRANGE)
        elif not self._strayed:
            self._strayed = True
            yield Piece(self._line, wrong=STRANGE)

    def _bracket(self, text: bytes, start: int) -> Iterator[Piece]:
        opens = text[start] in b"{["
        found = self._open(text[start], start) if opens else self._close(text, start + 1)
        if found is not None:
            yield found

    def _open(self, sign: int, start: int) -> Piece | None:
        depth = len(self._stack)
        if depth >= DEEPEST:
            return self._lose(DEEP)
        if not depth:
            self._begun, self._found = self._line, False
        if sign == ord("[") and not self._holder and self._key in NAMES:
            self._name, self._holder, self._found = self._key, depth + 1, True
            self._strayed = False
        elif depth == self._holder and depth:
            self._element, self._from, self._since = bytearray(), start, self._line
            self._dropped = False
        self._stack.append(sign)
        return None

    def _close(self, text: bytes, end: int) -> Piece | None:
        if not self._stack or self._stack.pop() != _OPENS[text[end - 1]]:
            return self._lose(STRANGE)
        depth = len(self._stack)
        if depth == self._holder and self._element is not None:
            return self._whole(bytes(self._element) + text[self._from : end])
        if depth < self._holder:
            self._holder = 0
        return None if depth or self._found else Piece(self._begun, wrong=STRANGE)

    def _whole(self, resource: bytes) -> Piece:
        """The resource, which is all there, as a request."""
        self._element = None
        if len(resource) > self._most and sum(map(resource.count, (b"{", b"[", b","))) > self._most:
            return Piece(self._since, wrong=LONG)
        return Piece(self._since, self._name, b'{"%b":[%b]}' % (self._name, resource))

    def _keep(self, text: bytes, last: int) -> Iterator[Piece]:
        """Keep what goes on in the next line, if it is not too much."""
        stop = len(text) - len(self._rest)
        if self._rest.endswith(b"\n"):
            # No string goes on in another line.
            yield self._lose(STRANGE)
            return
        if len(self._stack) == self._holder and not _NOTHING.fullmatch(text, last, stop):
            yield from self._stray()
        if self._element is not None:
            self._element += text[self._from : stop]
            if len(self._element) > self._longest:
                self._element, self._dropped = None, True
                yield Piece(self._since, wrong=LONG)

    def _lose(self, wrong: str, line: int = 0) -> Piece:
        self._forget()
        self._astray = True
        return Piece(line or self._line, wrong=wrong)

    def _forget(self) -> None:
        self._stack = bytearray()
        self._rest = self._key = self._name = b""
        self._holder = 0
        self._found = False
        """Whether the outermost bracket has had such an array."""

        self._quoted = False
        """Whether a long string goes on, of which only its end is of interest."""

        self._dropped = False
        """Whether the last resource was told to be too long."""

        self._element = None
        self._begun = self._since = self._line
        """Where the outermost bracket, and the resource, began."""

        self._from = 0


_QUOTE = ord('"')
