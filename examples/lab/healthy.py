"""Healthy requests on real engines, as many as fit: whatever is named for one is a false alarm."""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from lab.client import Ask, Completion, complete, random_prompt
from lab.engine import await_ready
from lab.errors import LabError
from lab.pair import Pair, Wish, started
from lab.progress import Progress
from lab.run import fresh
from lab.watcher import Watcher

STEADY = 40
"""One after the other, of which each fourth has a prompt whose beginning is known already."""

BURST = 64
BURSTS = 4
LONG = 8_000
"""Tokens."""

LEAVES_AFTER = 3.0
"""Seconds after which a client leaves in the middle of its long answer."""

CALM = 6.0
"""Seconds after the last request in which nothing must be named either."""


class Tally(msgspec.Struct, kw_only=True):
    """What was sent, and what was said of it."""

    sent: int = 0
    answered: int = 0
    left: int = 0
    """Whose client left before the end, as it was told to."""
    transfers: int = 0
    """That kvtrace saw finish."""
    named: dict[str, int] = {}
    """How many transfers a cause was named for, by the cause."""
    of_engines: tuple[str, ...] = ()
    """What was named for an engine as a whole, which on a small machine can be so."""


class Load:
    """Sends healthy requests of all kinds through a pair's router, round after round."""

    def __init__(self, pair: Pair) -> None:
        self.tally = Tally()
        self._pair = pair
        self._chance = random.Random()
        self._known = random_prompt(300, self._chance)

    def round(self) -> None:
        """Steady requests, bursts, long prompts, and clients that leave.

        Raises:
            LabError: if a request was not answered.
        """
        for number in range(STEADY):
            self._together([self._prompt() if number % 4 else [*self._known, 3 + number]])
        for _ in range(BURSTS):
            self._together([self._prompt() for _ in range(BURST)])
        self._together([random_prompt(LONG, self._chance)])
        self._together([random_prompt(LONG, self._chance)] * 2)
        self._leave([random_prompt(60, self._chance) for _ in range(3)])

    def _together(self, prompts: list[list[int]]) -> None:
        done: list[Completion] = []
        asks = [self._ask(prompt, self._chance.randrange(2, 9)) for prompt in prompts]
        _at_once([lambda ask=ask: done.append(complete(self._pair.url, ask)) for ask in asks])
        self.tally.answered += sum(one.answered for one in done)
        refused = [one for one in done if not one.answered]
        if len(done) < len(asks) or refused:
            why = f"{refused[0].status} {refused[0].error[:300]}" if refused else "no connection"
            raise LabError(f"A healthy request was not answered: {why}")

    def _prompt(self) -> list[int]:
        return random_prompt(self._chance.randrange(20, 400), self._chance)

    def _leave(self, prompts: list[list[int]]) -> None:
        asks = [self._ask(prompt, 4_000) for prompt in prompts]
        _at_once([lambda ask=ask: self._give_up(ask) for ask in asks])

    def _give_up(self, ask: Ask) -> None:
        try:
            complete(self._pair.url, ask, LEAVES_AFTER)
        except OSError:
            self.tally.left += 1

    def _ask(self, prompt: list[int], answer: int) -> Ask:
        self.tally.sent += 1
        named = f"lab-healthy-{uuid.uuid4().hex[:12]}"
        return Ask(prompt=prompt, max_tokens=answer, request_id=named)


def run(seconds: float, say: Callable[[str], None], *, record: Path | None = None) -> Tally:
    """Start engines as people do, send healthy requests for so long, and tell what was named.

    `record` is the file that keeps what was heard.
    """
    with fresh() as place, started(place, Wish()) as pair:
        await_ready(pair.engines, Progress())
        with Watcher(pair.run_dir, record) as watcher:
            load, deadline = Load(pair), time.monotonic() + seconds
            while time.monotonic() < deadline:
                load.round()
                say(f"{load.tally.sent} sent; named: {_named(watcher) or 'nothing'}")
            watcher.until(lambda: False, CALM)
            load.tally.named = _named(watcher)
            load.tally.of_engines = tuple(dict.fromkeys(watcher.everything().get("", ())))
            if watcher.last is not None:
                load.tally.transfers = watcher.last.totals.finished
    return load.tally


def _named(watcher: Watcher) -> dict[str, int]:
    every = watcher.everything().items()
    return dict(Counter(cause for request, causes in every if request for cause in causes))


def _at_once(doings: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=one, daemon=True) for one in doings]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
