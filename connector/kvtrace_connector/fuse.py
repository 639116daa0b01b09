"""The fuse: what keeps a mistake of ours away from the host."""

import logging
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

logger = logging.getLogger("vllm.kvtrace")
"""Below vLLM's own logger, so that its configuration shows what we say."""


class Outcome(msgspec.Struct):
    """How a call into the host ended; it lives no longer than the hook that looks at it."""

    result: Any = None
    error: BaseException | None = None


Bracket: TypeAlias = Generator[None, Outcome, None]
"""A hook at work: run up to its `yield` before the call, sent the outcome after it."""

Hook: TypeAlias = Callable[..., Bracket | None]
"""A plain function looks only before the call; a generator looks on both sides of it."""


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

    def begin(self, bracket: Bracket) -> bool:
        """Run a bracket up to its `yield`; whether it wants to see how the call ends."""
        try:
            return next(bracket, _OVER) is not _OVER
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            self.blow(error)
            return False

    def finish(self, bracket: Bracket, outcome: Outcome) -> None:
        """Tell a hook how the call ended."""
        if self.blown:
            return
        try:
            bracket.send(outcome)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            self.blow(error)

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
    hook: Hook, stock: Callable[..., Any], takes: int | None = None
) -> Callable[..., Any]:
    """A method that calls `stock` once, as it was called itself, with the hook around it.

    Most calls are made at every step and have nothing to tell. What `stock` takes besides its
    object, nothing or one argument, spares them half of what the way for any arguments costs.
    """
    if takes == 0:
        return _of_nothing(hook, stock)
    return _of_one(hook, stock) if takes == 1 else _of_any(hook, stock)


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
    general = _of_any(hook, stock)

    def method(self: Any, one: Any = _OVER, /, *more: Any, **named: Any) -> Any:
        if one is _OVER:
            return general(self, **named)
        if more or named:
            return general(self, one, *more, **named)
        half = self._kvtrace
        if half is None or half.fuse.blown:
            return stock(self, one)
        try:
            bracket = hook(half, self, one)
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            half.fuse.blow(error)
            bracket = None
        return (
            stock(self, one) if bracket is None else _within(bracket, half.fuse, stock, self, one)
        )

    return method


def _within(
    bracket: Bracket, fuse: Fuse, stock: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    if not fuse.begin(bracket):
        return stock(*args, **kwargs)
    try:
        result = stock(*args, **kwargs)
    except BaseException as error:
        fuse.finish(bracket, Outcome(error=error))
        raise
    fuse.finish(bracket, Outcome(result))
    return result
