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
TORN = "ends in the middle of an export request"

_TOKEN = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|[{}\[\]"]')
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

    def __init__(self, longest: int) -> None:
        """`longest` is how many bytes one resource may take."""
        self._longest = longest
        self._line = 1
        self._fresh = True
        """Whether a line begins here, rather than going on."""

        self._astray = False
        """Whether nothing makes sense until a line begins with a bracket."""

        self._element: bytearray | None = None
        self._holder = 0
        """How deep the array of resources is; 0 outside of one."""

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
        if self._stack or self._rest:
            yield self._lose(TORN, self._begun)

    def _cut(self, text: bytes) -> Iterator[Piece]:
        self._rest, self._from, last = b"", 0, 0
        for token in _TOKEN.finditer(text):
            start, end = token.span()
            if not self._stack and not _NOTHING.fullmatch(text, last, start):
                yield self._lose(STRANGE)
                return
            last = end
            if text[start] != _QUOTE:
                yield from self._bracket(text, start)
            elif end - start > 1:
                self._key = text[start + 1 : end - 1]
            else:
                self._rest = text[start:]
                break
            if self._astray:
                return
        yield from self._keep(text, last)

    def _bracket(self, text: bytes, start: int) -> Iterator[Piece]:
        if text[start] in b"{[":
            self._open(text[start], start)
        elif (found := self._close(text, start + 1)) is not None:
            yield found

    def _open(self, sign: int, start: int) -> None:
        depth = len(self._stack)
        if not depth:
            self._begun, self._found = self._line, False
        if sign == ord("[") and not self._holder and self._key in NAMES:
            self._name, self._holder, self._found = self._key, depth + 1, True
        elif depth == self._holder and depth:
            self._element, self._from, self._since = bytearray(), start, self._line
        self._stack.append(sign)

    def _close(self, text: bytes, end: int) -> Piece | None:
        if not self._stack or self._stack.pop() != _OPENS[text[end - 1]]:
            return self._lose(STRANGE)
        depth = len(self._stack)
        if depth == self._holder and self._element is not None:
            resource = bytes(self._element) + text[self._from : end]
            body = b'{"%b":[%b]}' % (self._name, resource)
            self._element = None
            return Piece(self._since, self._name, body)
        if depth < self._holder:
            self._holder = 0
        return None if depth or self._found else Piece(self._begun, wrong=STRANGE)

    def _keep(self, text: bytes, last: int) -> Iterator[Piece]:
        """Keep what goes on in the next line, if it is not too much."""
        stop = len(text) - len(self._rest)
        if not self._stack and not _NOTHING.fullmatch(text, last, stop):
            yield self._lose(STRANGE)
        elif self._rest.endswith(b"\n") or len(self._rest) > self._longest:
            # No string goes on in another line.
            yield self._lose(STRANGE)
        elif self._element is not None:
            self._element += text[self._from : stop]
            if len(self._element) > self._longest:
                self._element = None
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

        self._element = None
        self._begun = self._since = self._line
        """Where the outermost bracket, and the resource, began."""

        self._from = 0


_QUOTE = ord('"')
