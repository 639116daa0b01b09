"""Writes docs/signals.md: every event, log record and span, from the code itself.

Run it from the repository after a change to the vocabulary: `python tools/signals.py`.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from kvtrace.events import AnyEvent, Event, closes
from kvtrace.moments import Lost
from kvtrace.signals.catalogue import (
    ATTRIBUTES,
    ON_EVERY_LOG,
    ON_EVERY_SPAN,
    RESOURCE,
    SPANS,
    WHERE_IT_APPLIES,
    Attribute,
    SpanKind,
)
from kvtrace.signals.logs import attribute
from kvtrace.signals.severity import TEXT, severity
from kvtrace.vocabulary import consumer, engine, event, producer, router
from kvtrace.wire import KINDS

PAGE = Path(__file__).parent.parent / "docs" / "signals.md"

CHAPTERS = (
    ("On the consumer", consumer),
    ("On the producer", producer),
    ("On either side, and of a whole process", engine),
    ("In the router, if it speaks", router),
)

HEAD = """\
# Signals: every event, log record and span of kvtrace

This page is made from the code by `tools/signals.py`; change it there.

[Events](#events) are the truth: what happened, told by the process it happened in. They travel as
OpenTelemetry [log records](#log-records) the moment they happen. [Spans](#spans) are derived from
them as phases end, and carry them as span events, so that a backend that keeps only traces can be
read back. All that one process says has one [resource](#resource).
"""

SPANS_HEAD = """\
## Spans

What one engine knows of a request is a half; each half is one root span with a span for each of its
phases. The trace is that of the request's `traceparent` where the engine has it; else it is derived
from `kvtrace.join`, so that both halves are in one trace all the same. A root with a `traceparent`
is linked to the derived trace, where the other half is if only one leg had one.

A span starts by the wall clock of its half's first event and lasts by the monotonic clock. Its
span events are the events of that phase; the root has those that belong to no phase. Its status is
an error where it failed. A half that waits has not ended and has no root yet: a `kvtrace.stall`
tells of it while it lasts.
"""

LOGS_HEAD = """\
## Log records

One for each event, named `kvtrace.` and the event's name, and a few for what is no event. The name
is the record's event name, its body and its attribute `event.name`. Each field of the event that
does not hold its default is an attribute named `kvtrace.` and the field's name (`kvtrace.event.`
for `engine` and `rank`, which every record has); a field with names in it is one attribute for
each, such as `kvtrace.facts.UCX_TLS`. A span event of the same event has the same name and
attributes. Whoever gets an event twice tells so by `kvtrace.process` and `kvtrace.seq`.
"""

OTHERS = """\
| name | severity | attributes | tells |
|---|---|---|---|
| `kvtrace.lost` | WARN | `kvtrace.process`, and counts | what was not passed on |
| `kvtrace.ended` | INFO; WARN without goodbye | `kvtrace.process`, `kvtrace.goodbye` | it is gone |
| `kvtrace.watched` | INFO | `kvtrace.process`, `kvtrace.state` | `running` or `frozen` |
"""

RESOURCE_HEAD = """\
## Resource
"""

EVENTS_HEAD = """\
## Events

Every event is told by one process, which adds to it: its uuid and a sequence number (together the
key for de-duplication), its monotonic clock and the boot id that this belongs to, its wall clock,
the engine's id, the role (`P` producer, `D` consumer), the rank (−1 in a scheduler) and the
thread. `request` is the id that *this* engine gives the request; it is empty where the engine
does not know it (yet), and left out below. Durations are nanoseconds, sizes bytes, counts plain
numbers. Fields are only ever added, at the end and with a default, so that what an earlier
version wrote stays readable; a field that holds its default is not written as an attribute.

*Opens* marks an event that can be the first that its process tells of a request; *closes* one
after which the process needs to remember the request no longer.
"""

DURATIONS = {
    "gap",
    "lease",
    "longest",
    "longest_gap",
    "oldest",
    "post",
    "prepare",
    "queued",
    "registration_timeout",
    "round_trip",
    "clock_offset",
    "timeout",
    "took",
    "total",
    "transfer",
    "waited",
    "window",
}
UNITS = {
    "size": "bytes",
    "tokens": "tokens",
    "computed": "tokens",
    "block_size": "tokens",
    "blocks": "blocks",
    "remote_blocks": "blocks",
} | dict.fromkeys(DURATIONS, "ns")


def page() -> str:
    """The whole page."""
    events = (line for chapter in CHAPTERS for line in _chapter(*chapter))
    return "\n".join([HEAD, *_spans(), *_logs(), *_resource(), EVENTS_HEAD, *events])


def _spans() -> Iterator[str]:
    yield SPANS_HEAD
    yield "| span | made by | from | to | parent | kind |"
    yield "|---|---|---|---|---|---|"
    for span in SPANS:
        row = (f"`{span.name}`", span.where, span.start, span.end, span.parent, span.kind)
        yield f"| {' | '.join(row)} |"
    yield ""
    every = ", ".join(f"`{name}`" for name in ON_EVERY_SPAN)
    some = ", ".join(f"`{name}`" for name in WHERE_IT_APPLIES)
    yield f"Every span has {every}, and where it applies {some}.\n"
    for span in SPANS:
        yield from _span(span)


def _span(span: SpanKind) -> Iterator[str]:
    known = {attribute.name: attribute for attribute in ATTRIBUTES}
    yield f"### `{span.name}`\n"
    yield from _table(known[name] for name in span.attributes)


def _logs() -> Iterator[str]:
    yield LOGS_HEAD
    yield from _table(ON_EVERY_LOG)
    yield OTHERS
    yield "The counts of `kvtrace.lost`: " + "; ".join(_counts()) + "."
    yield "What comes again with the same `kvtrace.teller` and `kvtrace.number` counts once.\n"


def _counts() -> Iterator[str]:
    said = _docstrings(Lost)
    for name in Lost().counts:
        yield f"`kvtrace.{name}`, {said[name][0].lower()}{said[name][1:].rstrip('.')}"


def _resource() -> Iterator[str]:
    yield RESOURCE_HEAD
    yield from _table(RESOURCE)


def _table(rows: Iterable[Attribute]) -> Iterator[str]:
    yield "| attribute | type | unit | meaning |"
    yield "|---|---|---|---|"
    for row in rows:
        yield f"| `{row.name}` | {row.type} | {row.unit} | {row.meaning} |"
    yield ""


def _chapter(title: str, module: object) -> Iterator[str]:
    yield f"### {title}\n"
    for name, cls in KINDS.items():
        if cls.__module__ == getattr(module, "__name__", ""):
            yield from _event(name, cls)


def _event(name: str, cls: type[Event]) -> Iterator[str]:
    yield f"#### `{name}`\n"
    yield f"{inspect.getdoc(cls)}\n"
    yield f"Told by {_who(cls)}.{_ledger(cls)} Severity {_severity(cls)}.\n"
    rows = [field for field in msgspec.structs.fields(cls) if field.name != "request"]
    if rows:
        said = _docstrings(cls)
        yield "| field | attribute | type | unit | meaning |"
        yield "|---|---|---|---|---|"
        for field in rows:
            meaning = " ".join(said.get(field.name, "").split())
            names = f"`{field.name}` | `{_named(field)}`"
            yield f"| {names} | {_type(field.type)} | {_unit(field)} | {meaning} |"
        yield ""


def _named(field: msgspec.structs.FieldInfo) -> str:
    """The attribute that tells this field, or the beginning of those that do."""
    several = field.default_factory is not msgspec.NODEFAULT
    return attribute(field.name) + (".…" if several else "")


def _severity(cls: type[Event]) -> str:
    """How much the event matters, and how much it can matter."""
    flags = {f.name: True for f in msgspec.structs.fields(cls) if f.name in ("failed", "parked")}
    worst = {"outcome": "raised"} if "outcome" in cls.__struct_fields__ else {}
    make: Callable[..., AnyEvent] = cls  # type: ignore[assignment]
    usual, most = (TEXT[severity(made)] for made in (make(), make(**flags, **worst)))
    return usual if usual == most else f"{usual}, where it failed or was given up {most}"


def _who(cls: type[Event]) -> str:
    side = {"D": "the consumer", "P": "the producer"}.get(str(cls.role), "")
    if cls.scheduler:
        return f"{side or 'either side'}’s scheduler"
    if cls.role is not None:
        return f"a rank of {side}"
    return "the router" if cls.__module__ == router.__name__ else "any process of an engine"


def _ledger(cls: type[Event]) -> str:
    return (" *Opens.*" if cls.opens else "") + (" *Closes.*" if _may_close(cls) else "")


def _may_close(cls: type[Event]) -> bool:
    """Whether it closes with some value of its flags."""
    flags = [f.name for f in msgspec.structs.fields(cls) if f.type is bool]
    make: Callable[..., AnyEvent] = cls  # type: ignore[assignment]
    made = [make()] + [make(**{flag: value}) for flag in flags for value in (True, False)]
    return any(map(closes, made))


def _type(kind: object) -> str:
    if kind in (str, int, bool):
        return {str: "text", int: "integer", bool: "true or false"}[kind]  # type: ignore[index]
    named = str(kind).replace("int | None", "integer, or nothing")
    named = named.replace("dict[str, int]", "integer by name").replace(
        "dict[str, str]", "text by name"
    )
    return named.replace("tuple[str, ...]", "several texts")


def _unit(field: msgspec.structs.FieldInfo) -> str:
    if field.type in (str, bool) or field.name in ("facts", "missing", "sizes"):
        return ""
    return UNITS.get(field.name, "")


def _docstrings(cls: type[msgspec.Struct]) -> dict[str, str]:
    """The text beneath each field, in the class that it comes from."""
    found: dict[str, str] = {}
    for owner in (event.Event, cls):
        (body,) = ast.parse(inspect.getsource(owner)).body
        assert isinstance(body, ast.ClassDef)
        for one, beneath in zip(body.body, body.body[1:], strict=False):
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                text = _text(beneath)
                if text:
                    found[one.target.id] = text
    return found


def _text(node: ast.stmt) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return str(node.value.value)
    return ""


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE.name}: {len(KINDS)} events\n")
