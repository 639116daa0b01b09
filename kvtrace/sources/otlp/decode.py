"""News out of the bytes of export requests; what is not ours is counted and passed over."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

from google.protobuf.message import DecodeError

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.moments import News
from kvtrace.signals.logs import PREFIX, news_of
from kvtrace.signals.values import Value
from kvtrace.sources.otlp import schema
from kvtrace.sources.otlp.refusal import Reason, RefusedError
from kvtrace.sources.otlp.tally import Tally
from kvtrace.sources.otlp.values import Attributes

RESOURCES = 1024
"""Resources that are remembered, since all that one process says has the same."""

MOST = 200_000
"""Records in one request; the largest message of the smallest events has fewer."""

SLICE = 500
"""Records between two chances for others to run."""

_OURS = PREFIX.encode()
_EVENT_NAME = b"\n\nevent.name\x12"
"""How the attribute begins that names an event where its own field was lost on the way."""

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
        self._attributes = Attributes()
        self._resources: dict[bytes, _Resource | None] = {}
        self._readers: dict[Signal, Callable[[bytes, _Resource, Tally], Iterable[News]]] = {
            Signal.LOGS: self._log,
            Signal.TRACES: self._span,
        }

    def read(self, signal: Signal, raw: bytes, tally: Tally) -> Iterator[list[News]]:
        """The news in these bytes, by and by; counts into the tally.

        Raises RefusedError where the bytes are no such request, or hold absurdly much.
        """
        try:
            for given, records in _scopes(raw, self._most):
                tally.records += len(records)
                _check(tally.records, self._most)
                reader = self._readers.get(signal)
                if reader is None:
                    tally.metrics += len(records)
                    continue
                resource = self._resource(given)
                for start in range(0, len(records), SLICE):
                    yield self._slice(reader, records[start : start + SLICE], resource, tally)
        except DecodeError as error:
            said = f"not an export request for {signal.value}: {error}"
            raise RefusedError(Reason.MALFORMED, said) from error

    def _slice(
        self,
        reader: Callable[[bytes, _Resource, Tally], Iterable[News]],
        records: Iterable[bytes],
        resource: _Resource | None,
        tally: Tally,
    ) -> list[News]:
        found: list[News] = []
        for raw in records:
            # A resource that cannot be read is only then a loss when what it holds is ours.
            found += reader(raw, resource or {}, tally)
        tally.events += len(found)
        return found

    def _log(self, raw: bytes, resource: _Resource, tally: Tally) -> Iterable[News]:
        log = schema.log_of(raw)
        name = _name(log)
        if not name.startswith(_OURS):
            tally.foreign += 1
            return ()
        found = self._news(name, log, resource, tally)
        if found is None:
            tally.rejected += 1
            return ()
        return found

    def _span(self, raw: bytes, resource: _Resource, tally: Tally) -> Iterable[News]:
        span = schema.span_of(raw)
        found: list[News] = []
        ours, unreadable = span.name.startswith(_OURS), tally.unreadable
        for one in span.events:
            if _OURS not in one:
                continue
            event = schema.span_event_of(one)
            if event.name.startswith(_OURS):
                ours = True
                found += self._news(event.name, event, resource, tally) or ()
        tally.foreign += not ours
        tally.rejected += tally.unreadable > unreadable
        return found

    def _news(
        self, name: bytes, told: Any, resource: _Resource, tally: Tally
    ) -> tuple[News, ...] | None:
        """What was told, if this version knows it; None where it cannot be read."""
        try:
            wall = told.time or getattr(told, "observed", 0)
            given = self._attributes.read(told.attributes)
            return (news_of(name.decode(), wall, given, resource),)
        except UnknownKindError:
            tally.unknown += 1
            return ()
        except (WireError, UnicodeDecodeError):
            tally.unreadable += 1
            return None

    def _resource(self, raw: bytes) -> _Resource | None:
        """Its attributes; None where they cannot be read."""
        if raw not in self._resources:
            if len(self._resources) >= RESOURCES:
                self._resources.clear()
            try:
                found = self._attributes.read(schema.resource_of(raw).attributes)
            except WireError:
                found = None
            self._resources[raw] = found
        return self._resources[raw]


def _scopes(raw: bytes, most: int) -> Iterator[tuple[bytes, Sequence[bytes]]]:
    """Each scope's resource and records, still bytes."""
    parts = schema.request_of(raw).parts
    scopes = 0
    _check(len(parts), most)
    for part in parts:
        parsed = schema.part_of(part)
        scopes += len(parsed.scopes)
        _check(scopes, most)
        for scope in parsed.scopes:
            yield parsed.resource, schema.scope_of(scope).records


def _check(count: int, most: int) -> None:
    if count > most:
        raise RefusedError(Reason.TOO_LARGE, f"more than {most} records in one request: send fewer")


def _name(log: Any) -> bytes:
    """The event's name: in its own field, else in the body, else in an attribute."""
    name: bytes = log.name
    if name:
        return name
    # A string of less than 128 bytes has a tag and a length before it.
    body: bytes = log.body
    if body.startswith(_OURS, 2):
        return body[2:]
    for pair in log.attributes:
        if pair.startswith(_EVENT_NAME):
            at = len(_EVENT_NAME) + 3
            return bytes(pair[at:])
    return b""


__all__ = ["Decoder", "Signal"]
