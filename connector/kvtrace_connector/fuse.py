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


class Fuse:
    """Runs hooks until one fails; then runs none.

    A hook that failed once would fail on every request, so the first error is logged with its
    traceback and the rest are never attempted.
    """

    __slots__ = ("_last_words", "blown")

    def __init__(self, last_words: Callable[[str], None]) -> None:
        self.blown = False
        self._last_words = last_words

    def begin(self, hook: Hook, /, *args: Any, **kwargs: Any) -> Bracket | None:
        """The hook's bracket, if it wants to see how the call ends."""
        try:
            bracket = hook(*args, **kwargs)
            if bracket is not None:
                next(bracket)
        except StopIteration:
            return None
        except Exception as error:  # noqa: BLE001  (none may reach the host)
            self.blow(error)
            return None
        return bracket

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
