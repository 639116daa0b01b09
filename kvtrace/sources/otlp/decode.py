"""News out of the bytes of export requests; what is not ours is counted and passed over."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

from google.protobuf.message import DecodeError

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.moments import News
from kvtrace.signals.logs import PREFIX
from kvtrace.signals.reading import news_of
from kvtrace.signals.values import Value
from kvtrace.sources.otlp import schema
from kvtrace.sources.otlp.refusal import Reason, RefusedError
from kvtrace.sources.otlp.tally import Tally
from kvtrace.sources.otlp.values import Attributes
from kvtrace.wire import KINDS

RESOURCES = 1024
"""Resources that are remembered, since all that one process says has the same."""

MOST = 200_000
"""Records in one request; the largest message of the smallest events has fewer."""

SLICE = 500
"""Records between two chances for others to run."""

_OURS = PREFIX.encode()
_EVENT_NAME = b"\n\nevent.name\x12"
"""How the attribute begins that names an event where its own field was lost on the way."""

_KNOWN = {f"{PREFIX}{kind}".encode(): f"{PREFIX}{kind}" for kind in KINDS}

_Resource: TypeAlias = dict[str, Value]


class Signal(Enum):
    """What an export request holds."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"


class Decoder:
    """Reads export requests, and remembers what comes again in many of them."""

    def __init__(self, most: int = MOST) -> None:
        """`most` is how many records one request may hold."""
        self._most = most
        self._read = Attributes().read
        self._resources: dict[bytes, _Resource] = {}

    def read(self, signal: Signal, raw: bytes, tally: Tally) -> Iterator[list[News]]:
        """The news in these bytes, by and by; counts into the tally.

        Raises RefusedError where the bytes are no such request, or hold absurdly much.
        """
        parse, reader = {
            Signal.LOGS: (schema.logs_of, self._logs),
            Signal.TRACES: (schema.spans_of, self._spans),
        }.get(signal, (None, None))
        try:
            for given, scope in _scopes(raw, self._most):
                count = len(schema.scope_of(scope).records)
                tally.records += count
                _check(tally.records, self._most)
                if parse is None or reader is None:
                    tally.metrics += count
                    continue
                resource, records = self._resource(given), parse(scope).records
                for start in range(0, count, SLICE):
                    found = reader(records[start : start + SLICE], resource, tally)
                    tally.events += len(found)
                    yield found
        except DecodeError as error:
            said = f"not an export request for {signal.value}: {error}"
            raise RefusedError(Reason.MALFORMED, said) from error

    def _logs(self, logs: Sequence[Any], resource: _Resource, tally: Tally) -> list[News]:
        found: list[News] = []
        # Looked up once: this loop is what limits how much one receiver can take in.
        known, read, add = _KNOWN.get, self._read, found.append
        for log in logs:
            name = known(log.name) or _name(log)
            if not name:
                tally.foreign += 1
                continue
            try:
                add(news_of(name, log.time or log.observed, read(log.attributes), resource))
            except UnknownKindError:
                tally.unknown += 1
            except WireError:
                tally.unreadable += 1
                tally.rejected += 1
        return found

    def _spans(self, spans: Sequence[Any], resource: _Resource, tally: Tally) -> list[News]:
        found: list[News] = []
        for span in spans:
            ours, unreadable = span.name.startswith(_OURS), tally.unreadable
            for one in span.events:
                # Most of what others say does not even hold the word.
                if _OURS in one and self._span_event(one, resource, tally, found):
                    ours = True
            tally.foreign += not ours
            tally.rejected += tally.unreadable > unreadable
        return found

    def _span_event(self, raw: bytes, resource: _Resource, tally: Tally, found: list[News]) -> bool:
        """Whether it is one of ours, readable or not."""
        event = schema.span_event_of(raw)
        name = _KNOWN.get(event.name) or _our_name(event.name)
        if not name:
            return False
        try:
            found.append(news_of(name, event.time, self._read(event.attributes), resource))
        except UnknownKindError:
            tally.unknown += 1
        except WireError:
            tally.unreadable += 1
        return True

    def _resource(self, raw: bytes) -> _Resource:
        """Its attributes; none where they cannot be read, so that what is ours cannot be either."""
        found = self._resources.get(raw)
        if found is None:
            if len(self._resources) >= RESOURCES:
                self._resources.clear()
            try:
                found = self._read(schema.resource_of(raw).attributes)
            except WireError:
                found = {}
            self._resources[raw] = found
        return found


def _scopes(raw: bytes, most: int) -> Iterator[tuple[bytes, bytes]]:
    """Each scope with its resource, both still bytes."""
    parts = schema.request_of(raw).parts
    scopes = 0
    _check(len(parts), most)
    for part in parts:
        parsed = schema.part_of(part)
        scopes += len(parsed.scopes)
        _check(scopes, most)
        for scope in parsed.scopes:
            yield parsed.resource, scope


def _check(count: int, most: int) -> None:
    if count > most:
        raise RefusedError(Reason.TOO_LARGE, f"more than {most} records in one request: send fewer")


def _name(log: Any) -> str:
    """The event's name where it is ours: in its own field, in the body, or in an attribute."""
    if log.name:
        return _our_name(log.name)
    # A string of less than 128 bytes has a tag and a length before it.
    body: bytes = log.body
    if body.startswith(_OURS, 2):
        return _our_name(body[2:])
    for pair in log.attributes:
        if pair.startswith(_EVENT_NAME):
            return _our_name(pair[len(_EVENT_NAME) + 3 :])
    return ""


def _our_name(raw: bytes) -> str:
    return raw.decode("utf-8", "replace") if raw.startswith(_OURS) else ""


__all__ = ["Decoder", "Signal"]
