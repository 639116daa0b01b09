"""Shows how far the engines' start has come."""

import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

import msgspec

from lab.engine import Engine

ROLES = {"kv_producer": "producer", "kv_consumer": "consumer", "kv_both": "both"}
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
UP_AND_CLEAR = "\x1b[{}F\x1b[J"


class Coming(msgspec.Struct, frozen=True, kw_only=True):
    """How far one engine is."""

    name: str
    step: str
    seconds: float
    ready: bool


class Progress:
    """Lines that renew themselves on a terminal; elsewhere a line for each new step."""

    def __init__(
        self, out: TextIO = sys.stderr, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._out = out
        self._live = out.isatty()
        self._clock = clock
        self._drawn = 0
        self._said: dict[str, str] = {}

    def __call__(self, engines: Sequence[Engine]) -> None:
        """Show where the engines are now."""
        self.show([coming(engine) for engine in engines])

    def show(self, all_coming: Sequence[Coming]) -> None:
        """Show how far engines are."""
        if self._live:
            self._redraw([line(each, self._clock()) for each in all_coming])
            return
        for each in all_coming:
            if self._said.get(each.name) != each.step:
                self._said[each.name] = each.step
                self._out.write(line(each, None) + "\n")
        self._out.flush()

    def _redraw(self, lines: Sequence[str]) -> None:
        back = UP_AND_CLEAR.format(self._drawn) if self._drawn else ""
        self._out.write(back + "".join(f"{text}\n" for text in lines))
        self._out.flush()
        self._drawn = len(lines)


def coming(engine: Engine) -> Coming:
    """Say how far an engine is."""
    launch = engine.launch
    tp = f" (TP {launch.tp})" if launch.tp > 1 else ""
    return Coming(
        name=f"{launch.engine_id} {ROLES[launch.role]}{tp}",
        step=engine.step,
        seconds=engine.age,
        ready=engine.ready,
    )


def line(each: Coming, spin: float | None) -> str:
    """Write one engine's line; `spin` is the time that turns the wheel."""
    wheel = "" if spin is None else SPINNER[int(spin * 8) % len(SPINNER)] + " "
    sign = "✓ " if each.ready else wheel
    return f"{sign}{each.name:<18} {each.seconds:4.0f} s  {each.step}"
