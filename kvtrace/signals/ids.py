"""Trace ids and span ids, made so that whoever sees an event makes the same ones."""

import re
from hashlib import sha256

import msgspec

_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?"
)


class Parent(msgspec.Struct, frozen=True):
    """The trace that a request came with, and the span in it that sent the request."""

    trace_id: bytes
    span_id: bytes


def parent_of(traceparent: str) -> Parent | None:
    """What a W3C traceparent says; None where it is empty, or is none."""
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None:
        return None
    return Parent(bytes.fromhex(found[1]), bytes.fromhex(found[2]))


def derived(base: str) -> Parent:
    """The trace of a request that came without one, from what both engines' ids share.

    Its span id stands for the request as a whole; nobody sends that span.
    """
    digest = sha256(b"kvtrace" + _bytes(base)).digest()
    return Parent(digest[:16], digest[16:24])


def span_id(*whose: str | int) -> bytes:
    """The id of the span that these name, in this order; the same ones, the same id."""
    return sha256(_bytes("\x1f".join(map(str, whose)))).digest()[:8]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
