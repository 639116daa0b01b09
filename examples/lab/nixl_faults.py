"""Stands before a NIXL agent, inside an engine, and does what the faults of the moment say.

Several threads come here; only the counting of calls is shared, under a lock.
"""

import functools
import importlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from lab.faults import Fault

LOOK = 0.02
"""Seconds between two looks at whether a call is still held."""

MESSAGE = "message"
"""What a fault meets that drops what `get_new_notifs` brings."""

REGISTRATION = b"PUSH_REG:"
"""How a consumer's registration begins; the rest is msgpack."""

Now = Callable[[], tuple[Fault, ...]]
Call = Callable[..., Any]
Messages = dict[Any, list[bytes]]


class FaultyAgent:
    """A NIXL agent that goes wrong when it is told to."""

    def __init__(
        self, agent: Any, now: Now, rank: int = 0, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._agent = agent
        self._rank = rank
        self._now = now
        self._sleep = sleep
        self._counting = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._notifications: dict[int, str] = {}
        """What a write will tell the consumer, by what tells its handle apart."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._agent, name)
        return functools.partial(self._called, name, found) if callable(found) else found

    def _called(self, name: str, call: Call, *args: Any, **named: Any) -> Any:
        about = self._about(args, named)
        # Whoever is late may go wrong all the same.
        for fault in sorted(self._at_work(name, about), key=_is_prompt):
            if fault.does == "raise":
                raise _error(fault.error)
            if fault.does in ("answer", "drop"):
                return fault.answer or None
            if fault.does == "reword":
                args = tuple(_reworded(one, fault.words) for one in args)
                named = {key: _reworded(one, fault.words) for key, one in named.items()}
            self._wait(fault)
        answer = call(*args, **named)
        if name == "get_new_notifs":
            return dict(self._passed_on(answer))
        if name == "make_prepped_xfer":
            self._notifications[_key(answer)] = about
        elif name == "release_xfer_handle":
            self._notifications.pop(_key(args[0]), None)
        return answer

    def _wait(self, fault: Fault) -> None:
        if fault.does == "delay":
            self._sleep(fault.seconds)
        while fault.does == "hold" and fault in self._now():
            self._sleep(LOOK)

    def _passed_on(self, drained: Messages) -> Iterator[tuple[Any, list[bytes]]]:
        """The messages that are not dropped; such faults count messages, not calls."""
        for agent, messages in drained.items():
            yield agent, [one for one in messages if not self._is_dropped(one)]

    def _is_dropped(self, message: bytes) -> bool:
        return bool(self._at_work(MESSAGE, _text(message)))

    def _at_work(self, name: str, about: str) -> list[Fault]:
        """The faults that such a call meets now."""
        mine = [fault for fault in self._now() if fault.rank in (-1, self._rank)]
        met = [fault for fault in mine if _meets(fault) == name and fault.about in about]
        return [fault for fault in met if self._is_its_turn(fault)]

    def _is_its_turn(self, fault: Fault) -> bool:
        with self._counting:
            self._counts[fault.name] += 1
            count = self._counts[fault.name] - fault.skip
        return count > 0 and (not fault.times or count <= fault.times)

    def _about(self, args: tuple[Any, ...], named: dict[str, Any]) -> str:
        """All that a call speaks of, as text."""
        words = [_text(one) for one in (*args, *named.values()) if isinstance(one, bytes | str)]
        if args:
            words.append(self._notifications.get(_key(args[0]), ""))
        return " ".join(words)


def faulty(
    agent: Callable[..., Any], now: Now, rank: Callable[[], int] = lambda: 0
) -> Callable[..., Any]:
    """What makes such agents, in the place of what makes NIXL's; `rank` tells whose they are."""
    return lambda *args, **named: FaultyAgent(agent(*args, **named), now, rank())


def _is_prompt(fault: Fault) -> bool:
    return fault.does not in ("delay", "hold")


def _meets(fault: Fault) -> str:
    drops = fault.call == "get_new_notifs" and fault.does == "drop"
    return MESSAGE if drops else fault.call


def _reworded(said: Any, words: dict[str, Any]) -> Any:
    """A registration with these words over its own; all else as it is."""
    if not isinstance(said, bytes) or not said.startswith(REGISTRATION):
        return said
    registration = msgspec.msgpack.decode(said[len(REGISTRATION) :])
    return REGISTRATION + msgspec.msgpack.encode({**registration, **words})


def _error(name: str) -> Exception:
    try:
        error = getattr(importlib.import_module("nixl._bindings"), name)
    except (ImportError, AttributeError):
        error = RuntimeError
    made: Exception = error(f"{name}, told to by the lab")
    return made


def _key(handle: Any) -> int:
    return handle if isinstance(handle, int) else id(handle)


def _text(message: bytes | str) -> str:
    return message if isinstance(message, str) else message.decode(errors="replace")
