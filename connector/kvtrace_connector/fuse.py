"""The fuse: what keeps a mistake of ours away from the host."""

import logging
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from types import FunctionType
from typing import Any, TypeAlias

import msgspec

logger = logging.getLogger("vllm.kvtrace")
"""Below vLLM's own logger, so that its configuration shows what we say."""


class Outcome(msgspec.Struct):
    """How a call into the host ended; it lives no longer than the hook that looks at it."""

    result: Any = None
    error: BaseException | None = None


Bracket: TypeAlias = Generator[Outcome | None, None, None]
"""A hook at work: run up to its `yield` before the call, and to its end after it.

It yields the outcome that it wants to see filled in, which is cheaper than to be sent one.
"""

Hook: TypeAlias = Callable[..., Bracket | None]
"""A plain function looks only before the call; a generator looks on both sides of it."""


class After(msgspec.Struct, frozen=True):
    """A hook that looks only after the call, which costs a third of what a bracket costs."""

    gave: Callable[..., None]
    """Is told what the call gave, and then what it was called with."""

    raised: Callable[..., None] | None = None
    """Is told what it raised instead, in the same place."""


_OVER: Any = object()


class Fuse:
    """Runs hooks until one fails; then runs none.

    A hook that failed once would fail on every request, so the first error is logged with its
    traceback and the rest are never attempted.
    """

    __slots__ = ("_last_words", "blown")

    def __init__(self, last_words: Callable[[str], None]) -> None:
        self.blown = False
        self._last_words = last_words

    def run(self, work: Callable[..., object], *args: Any) -> None:
        """Do something of ours between two calls into the host."""
        if self.blown:
            return
        try:
            work(*args)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            self.blow(error)

    def blow(self, error: Exception) -> None:
        """Trace no more, and say so once to the log and to the black box."""
        if self.blown:
            return
        self.blown = True
        with suppress(Exception):
            logger.error(
                "kvtrace stopped tracing this process; transfers are not affected", exc_info=error
            )
            self._last_words(f"{type(error).__name__}: {error}")


def surrounded(
    hook: Hook | After, stock: Callable[..., Any], takes: tuple[str, ...] | None = None
) -> FunctionType:
    """A method that calls `stock` once, as it was called itself, with the hook around it.

    Most calls are made at every step and have nothing to tell. `takes` names what `stock` takes
    besides its object, all of it needed, and spares them half of what the way for any arguments
    costs where that is little.
    """
    if isinstance(hook, After):
        return _own_code(_before(hook, stock))
    match takes:
        case ():
            return _own_code(_of_nothing(hook, stock))
        case (one,):
            return _own_code(_of_one(hook, stock), one)
        case (one, "**"):
            return _own_code(_of_one_and_named(hook, stock), one)
        case _:
            return _own_code(_of_any(hook, stock))


def _own_code(method: Any, argument: str = "") -> FunctionType:
    """The function with a copy of its code, which the interpreter then tunes to what it calls.

    It tunes code and not functions: methods that shared theirs would keep each other slow.
    Where named, the function's one argument gets that name, by which it may be passed too.
    """
    code, names = method.__code__, method.__code__.co_varnames
    if argument:
        code = code.replace(co_varnames=(names[0], argument, *names[2:]))
    mine = FunctionType(code.replace(), method.__globals__, closure=method.__closure__)
    mine.__kwdefaults__ = method.__kwdefaults__
    return mine


def _of_any(hook: Hook, stock: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return stock(self, *args, **kwargs)
        try:
            bracket = hook(half, self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            half.fuse.blow(error)
            bracket = None
        if bracket is None:
            return stock(self, *args, **kwargs)
        return _within(bracket, half.fuse, stock, self, *args, **kwargs)

    return method


def _of_nothing(hook: Hook, stock: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return stock(self)
        try:
            bracket = hook(half, self)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            half.fuse.blow(error)
            bracket = None
        return stock(self) if bracket is None else _within(bracket, half.fuse, stock, self)

    return method


def _of_one(hook: Hook, stock: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, one: Any) -> Any:
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return stock(self, one)
        try:
            bracket = hook(half, self, one)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            half.fuse.blow(error)
            bracket = None
        if bracket is None:
            return stock(self, one)
        return _within(bracket, half.fuse, stock, self, one)

    return method


def _of_one_and_named(hook: Hook, stock: Callable[..., Any]) -> Callable[..., Any]:
    alone, with_more = _own_code(_of_one(hook, stock)), _own_code(_of_any(hook, stock))

    def method(self: Any, one: Any, **more: Any) -> Any:
        return with_more(self, one, **more) if more else alone(self, one)

    return method


def _before(hook: After, stock: Callable[..., Any]) -> Callable[..., Any]:
    gave, raised = hook.gave, hook.raised

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = stock(self, *args, **kwargs)
        except BaseException as error:
            half = self._kvtrace
            if raised is not None and half is not None:
                half.fuse.run(partial(raised, half, self, error, *args, **kwargs))
            raise
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return result
        try:
            if args or kwargs:
                gave(half, self, result, *args, **kwargs)
            else:
                gave(half, self, result)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            half.fuse.blow(error)
        return result

    return method


def _within(
    bracket: Bracket, fuse: Fuse, stock: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    try:
        outcome = next(bracket, _OVER)
    except Exception as error:  # noqa: BLE001  (none may reach the host)
        fuse.blow(error)
        outcome = _OVER
    if outcome is _OVER:
        return stock(*args, **kwargs)
    try:
        result = stock(*args, **kwargs)
    except BaseException as error:
        _finish(bracket, fuse, outcome, error=error)
        raise
    _finish(bracket, fuse, outcome, result)
    return result


def _finish(
    bracket: Bracket,
    fuse: Fuse,
    outcome: Outcome | None,
    result: Any = None,
    error: BaseException | None = None,
) -> None:
    """Tell a hook how the call ended, and forget it."""
    if fuse.blown:
        return
    try:
        if outcome is not None:
            outcome.result, outcome.error = result, error
        next(bracket, None)
        if error is not None and outcome is not None:
            outcome.error = None  # its traceback holds on to our caller, and so to the outcome
    except Exception as fault:  # noqa: BLE001  (none may reach the host)
        fuse.blow(fault)
