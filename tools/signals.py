"""Writes docs/signals.md: every event with who says it and its fields, from the vocabulary itself.

Run it from the repository after a change to the vocabulary: `python tools/signals.py`.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kvtrace.events import Event, closes
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
# Signals: every event that kvtrace records

This page is made from `kvtrace/vocabulary` by `tools/signals.py`; change it there.

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
    return "\n".join([HEAD, *(line for chapter in CHAPTERS for line in _chapter(*chapter))])


def _chapter(title: str, module: object) -> Iterator[str]:
    yield f"## {title}\n"
    for name, cls in KINDS.items():
        if cls.__module__ == getattr(module, "__name__", ""):
            yield from _event(name, cls)


def _event(name: str, cls: type[Event]) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield f"{inspect.getdoc(cls)}\n"
    yield f"Told by {_who(cls)}.{_ledger(cls)}\n"
    rows = [field for field in msgspec.structs.fields(cls) if field.name != "request"]
    if rows:
        said = _docstrings(cls)
        yield "| field | type | unit | meaning |"
        yield "|---|---|---|---|"
        for field in rows:
            meaning = " ".join(said.get(field.name, "").split())
            yield f"| `{field.name}` | {_type(field.type)} | {_unit(field)} | {meaning} |"
        yield ""


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
    made = [cls()] + [cls(**{flag: value}) for flag in flags for value in (True, False)]
    return any(closes(one) for one in made)  # type: ignore[arg-type]


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


def _docstrings(cls: type[Event]) -> dict[str, str]:
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
