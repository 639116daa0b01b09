"""Puts hooks around the host's methods: the one place that stands between vLLM and its own code."""

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

from kvtrace_connector.fuse import Fuse, Hook, Outcome

HALF = "_kvtrace"
"""The attribute of a host's object that holds what we know of it; None until it is built."""


Building: TypeAlias = Callable[[], AbstractContextManager[None]]


def subclass(
    host: type,
    hooks: Mapping[str, Hook],
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
            setattr(traced, name, _override(traced, name, hook))
    return traced


def surrounded(hook: Hook, find: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that calls what `find` gives for its object, with the hook around it."""

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        stock = find(self)
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return stock(*args, **kwargs)
        fuse: Fuse = half.fuse
        bracket = fuse.begin(hook, half, self, *args, **kwargs)
        if bracket is None:
            return stock(*args, **kwargs)
        try:
            result = stock(*args, **kwargs)
        except BaseException as error:
            fuse.finish(bracket, Outcome(error=error))
            raise
        fuse.finish(bracket, Outcome(result=result))
        return result

    return method


def _override(traced: type, name: str, hook: Hook) -> Callable[..., Any]:
    method = surrounded(hook, lambda host: getattr(super(traced, host), name))
    return functools.wraps(getattr(traced, name))(method)


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

    def __init__(self, stock: Callable[..., Any], hook: Hook) -> None:
        self.stock = stock
        self._method = surrounded(hook, lambda _: stock)

    def __get__(self, host: Any, owner: type) -> Callable[..., Any]:
        half = None if host is None else host._kvtrace
        if half is None:
            return self.stock
        return functools.partial(self._method, _Bound(half))


class _Bound:
    """Stands in for the object that a static method does not have."""

    def __init__(self, half: Any) -> None:
        self._kvtrace = half
