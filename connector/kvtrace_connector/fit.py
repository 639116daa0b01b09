"""Whether the traced connector fits the vLLM that runs here."""

import dis
import functools
import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import CodeType
from typing import Any

import msgspec

from kvtrace_connector.seams import OWNERS, SEAMS, Kind, Seam
from kvtrace_connector.signatures import STATIC, Found, alike, known, names, signature


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What of the seams is there, and whether that is enough."""

    release: str
    """vLLM's version, as it says it itself."""

    reasons: tuple[str, ...]
    """Why it does not fit; empty where it does."""

    present: Mapping[str, str]
    """The seams that can be used, by name, with their parameters."""

    missing: tuple[str, ...]
    """The seams that cannot be used and that no other seam stands in for."""

    unseen: tuple[str, ...]
    """The events that lose a source by it: they carry less, come later, or do not come."""

    @property
    def fits(self) -> bool:
        """Whether we may trace."""
        return not self.reasons

    def has(self, seam: str) -> bool:
        """Whether a seam such as `worker._xfer_blocks` can be used; if not, leave its hook out."""
        return seam in self.present

    def parameters(self, seam: str) -> tuple[str, ...]:
        """The names of a method's parameters in this release, `self` first."""
        return names(self.present.get(seam, ""))


def judge(release: str, found: Found) -> Fit:
    """Compare how the seams of a release look with all that we know of them."""
    reasons: list[str] = []
    missing: list[Seam] = []
    present: dict[str, str] = {}
    for seam in SEAMS:
        look = found.get(seam.name)
        if look is None:
            if found.get(seam.instead) is not None:
                continue
            fault = f"{seam.name} is missing"
        elif any(alike(seam.kind, one, look) for one in known().variants(seam.name)):
            present[seam.name] = look
            continue
        else:
            fault = f"{seam.name} is ({look}), which this version of kvtrace does not know"
        missing.append(seam)
        if seam.needed:
            reasons.append(fault)
    return Fit(
        release=release,
        reasons=tuple(reasons),
        present=present,
        missing=tuple(seam.name for seam in missing),
        unseen=tuple(sorted({event for seam in missing for event in seam.feeds})),
    )


@functools.cache
def check() -> Fit:
    """Compare the running vLLM's seams with those that we know."""
    release = str(getattr(import_module("vllm"), "__version__", "of unknown version"))
    return judge(release, {seam.name: _look(seam) for seam in SEAMS})


def _look(seam: Seam) -> str | None:
    owner = _owner(OWNERS[seam.owner])
    if owner is None:
        return None
    match seam.kind:
        case Kind.CLASS:
            return ", ".join(base.__name__ for base in owner.__bases__)
        case Kind.ATTRIBUTE:
            return "" if _has(owner, seam.member) else None
        case Kind.GLOBAL:
            found = getattr(owner, seam.member, None)
            return "class" if isinstance(found, type) else None if found is None else repr(found)
    method = inspect.getattr_static(owner, seam.member, None)
    if seam.kind is Kind.TEXT:
        return seam.text if seam.text in _texts(_code(method)) else None
    return _signature(method)


@functools.cache
def _owner(path: str) -> Any:
    module, _, name = path.partition(":")
    try:
        found = import_module(module)
    except ImportError:
        return None
    return getattr(found, name, None) if name else found


def _signature(method: object) -> str | None:
    static = isinstance(method, staticmethod)
    method = method.__func__ if isinstance(method, staticmethod) else method
    if not callable(method):
        return None
    parameters = inspect.signature(method).parameters.values()
    text = signature((one.name, one.kind.name, one.default is not one.empty) for one in parameters)
    return f"{STATIC}, {text}" if static else text


def _has(owner: type, member: str) -> bool:
    return any(
        member in vars(cls)
        or member in getattr(cls, "__dataclass_fields__", ())
        or member in _assigned(vars(cls).get("__init__"))
        for cls in owner.__mro__
    )


@functools.cache
def _assigned(init: object) -> frozenset[str]:
    code = _code(init)
    if code is None:
        return frozenset()
    steps = dis.get_instructions(code)
    return frozenset(str(step.argval) for step in steps if step.opname == "STORE_ATTR")


def _code(method: object) -> CodeType | None:
    found = getattr(inspect.unwrap(method) if callable(method) else method, "__code__", None)
    return found if isinstance(found, CodeType) else None


def _texts(code: CodeType | None) -> Iterator[object]:
    for constant in code.co_consts if code is not None else ():
        yield constant
        if isinstance(constant, CodeType):
            yield from _texts(constant)
