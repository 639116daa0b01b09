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


def finish(
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
