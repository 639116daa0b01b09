"""Puts hooks around the host's methods: the one place that stands between vLLM and its own code."""

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any, TypeAlias

from kvtrace_connector.around import surrounded
from kvtrace_connector.fuse import After, Hook

HALF = "_kvtrace"
"""The attribute of a host's object that holds what we know of it; None until it is built."""


Building: TypeAlias = Callable[[], AbstractContextManager[None]]


def subclass(
    host: type,
    hooks: Mapping[str, Hook | After],
    attach: Callable[[Any], None],
    building: Building = nullcontext,
) -> type:
    """The host's class with a hook around each method named, and `attach` called on what it builds.

    Names that this host does not have are passed over. The subclass keeps the host's name, since
    vLLM decides by it.
    """
    traced = type(host.__name__, (host,), {HALF: None, "__module__": __name__})
    setattr(traced, "__init__", _building(traced, attach, building))  # noqa: B010  (mypy forbids the other)
    for name, hook in hooks.items():
        stock = inspect.getattr_static(host, name, None)
        if isinstance(stock, staticmethod):
            setattr(traced, name, _Static(stock.__func__, hook))
        elif stock is not None:
            setattr(traced, name, _override(traced, host, name, hook))
    return traced


def _override(traced: type, host: type, name: str, hook: Hook | After) -> Callable[..., Any]:
    stock = inspect.getattr_static(host, name)
    if isinstance(stock, FunctionType):
        method = surrounded(hook, stock, _takes(stock))
    else:
        # Whatever else somebody put there decides for itself what it makes of its object.
        method = surrounded(
            hook,
            lambda made, /, *args, **kwargs: getattr(super(traced, made), name)(*args, **kwargs),
        )
    return functools.wraps(getattr(host, name))(method)


def _takes(stock: FunctionType) -> tuple[str, ...] | None:
    """What it takes besides its object, all of it needed; `**` at the end stands for any names."""
    itself, *parameters = inspect.signature(stock).parameters.values()
    if itself.kind is not itself.POSITIONAL_OR_KEYWORD:
        return None
    names = []
    for one in parameters:
        if one.kind is one.VAR_KEYWORD:
            names.append("**")
        elif one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty:
            names.append(one.name)
        else:
            return None
    return tuple(names)


def _building(
    traced: type, attach: Callable[[Any], None], building: Building
) -> Callable[..., None]:
    stock: Callable[..., None] = getattr(traced, "__init__")  # noqa: B009  (as above)

    @functools.wraps(stock)
    def build(self: Any, /, *args: Any, **kwargs: Any) -> None:
        with building():
            stock(self, *args, **kwargs)
        attach(self)

    return build


class _Static:
    """A static method with a hook around it wherever it is reached through an object.

    It binds what we know of the object and not the object, which a thread that runs the method
    must not keep alive.
    """

    def __init__(self, stock: Callable[..., Any], hook: Hook | After) -> None:
        self.stock = stock
        self._method = surrounded(hook, lambda _, /, *args, **kwargs: stock(*args, **kwargs))

    def __get__(self, host: Any, owner: type) -> Callable[..., Any]:
        half = None if host is None else host._kvtrace
        if half is None:
            return self.stock
        return functools.partial(self._method, _Bound(half))


class _Bound:
    """Stands in for the object that a static method does not have."""

    def __init__(self, half: Any) -> None:
        self._kvtrace = half
