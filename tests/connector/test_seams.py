import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kvtrace_connector.fuse import After
from kvtrace_connector.seams import OWNERS, SEAMS, Kind
from kvtrace_connector.signatures import known, names

from kvtrace import events
from tests.connector.paper_vllm import ROOT

OURS = sorted((ROOT / "connector" / "kvtrace_connector").glob("*.py"))

NAMED = {"connector_output": "output"} | {
    name: name
    for name in ("connector", "scheduler", "worker", "metadata", "request", "results", "read_spec")
}
"""What our hooks call the host's objects, and whose seams those are."""

OWNER = {"scheduler": "scheduler", "listener": "scheduler", "facade": "connector"}
"""Whose methods the modules hook that do not hook the worker's."""

UNNAMED = {
    "worker._engine_clock_offset",  # tells which releases' handshakes answer with an offset
    "metadata.scheduler_clock",  # tells which releases give leases by the worker's own clock
    "wire.PUSH_REG_NOTIF_PREFIX",  # ours is a copy
}
"""Seams that we do not name where we rely on them."""


def reads(module: Path) -> Iterator[str]:
    """The seams that a module of ours reads from the host unguarded."""
    tree = ast.parse(module.read_text())
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    hosts = NAMED.keys() - {one.name for node in imports for one in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=member) if name in hosts:
                if not hasattr(bytes, member):
                    yield f"{NAMED[name]}.{member}"


def hooks(module: Path) -> Iterator[str]:
    """The host's methods that a module of ours hooks."""
    owner = OWNER.get(module.stem, "worker")
    for node in ast.parse(module.read_text()).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="HOOKS"), value=ast.Dict(keys=keys)):
                names = (ast.literal_eval(key) for key in keys if key is not None)
                yield from (f"{owner}.{name}" for name in names)


def test_every_seam_has_one_name_and_one_entry_in_the_signatures() -> None:
    listed = [seam.name for seam in SEAMS]
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(known().seams)
    assert {seam.instead for seam in SEAMS} - {""} <= set(listed)
    assert {seam.owner for seam in SEAMS} == set(OWNERS)


def test_seams_feed_events_that_exist() -> None:
    kinds = {
        one.__struct_config__.tag
        for one in vars(events).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    }
    assert {event for seam in SEAMS for event in seam.feeds} <= kinds


@pytest.mark.parametrize("module", OURS, ids=lambda it: it.stem)
def test_what_a_hook_reads_unguarded_is_needed(module: Path) -> None:
    needed = {seam.name for seam in SEAMS if seam.needed or seam.instead}
    assert set(reads(module)) <= needed


@pytest.mark.parametrize("module", OURS, ids=lambda it: it.stem)
def test_every_method_that_is_hooked_is_a_seam(module: Path) -> None:
    assert set(hooks(module)) <= {seam.name for seam in SEAMS if seam.kind is Kind.METHOD}


def told_and_hooks(hook: Any) -> list[tuple[tuple[str, ...], Any]]:
    """What is called, and what it is told before the arguments."""
    if not isinstance(hook, After):
        return [((), hook)]
    return [(("told",), one) for one in (hook.gave, hook.raised) if one is not None]


@pytest.mark.parametrize("module", OURS, ids=lambda it: it.stem)
def test_a_hook_takes_what_its_method_takes_in_every_release(module: Path) -> None:
    for seam in hooks(module):
        hook = import_module(f"kvtrace_connector.{module.stem}").HOOKS[seam.partition(".")[2]]
        for look in known().variants(seam):
            arguments = [name for name in names(look) if f"*{name}" not in look and name != "self"]
            unknown = {"unknown": None} if "**" in look else {}
            for told, one in told_and_hooks(hook):
                inspect.signature(one).bind("half", "host", *told, *arguments, **unknown)


def test_every_seam_is_used() -> None:
    ours = "\n".join(module.read_text() for module in OURS if module.stem != "seams")
    words = set(re.findall(r"\w+", ours))
    unused = {seam.name for seam in SEAMS if seam.member and seam.member not in words}
    assert unused == UNNAMED
