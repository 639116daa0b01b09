"""Plays scenarios on real engines, those that need the same engines on the same ones."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import msgspec

from kvtrace.causes import ABOUT, Cause, Kind
from lab.engine import await_ready
from lab.errors import EngineDiedError, LabError
from lab.pair import Pair, Wish, started
from lab.progress import Progress
from lab.result import Result
from lab.run import fresh
from lab.scenario import Scenario, Serve, Setup
from lab.stage import Stage
from lab.watcher import Watcher

Say = Callable[[str], None]

CALM = 4.0
"""Seconds after a healthy scenario in which nothing must be named either."""

AFTERWARDS = 2.0
"""Seconds that a recording goes on when the cause was named, with the fault still at work."""


def play_all(
    scenarios: Iterable[Scenario], say: Say, *, record: Path | None = None
) -> Iterator[Result]:
    """Play them, and yield what became of each as it is known."""
    ordered = sorted(scenarios, key=lambda one: (one.setup.alone, msgspec.json.encode(one.setup)))
    for (_, _, _), group in groupby(ordered, key=_together):
        yield from _on_one_setup(list(group), say, record)


def judge(scenario: Scenario, ids: dict[str, list[str]], watcher: Watcher) -> Result:
    """What was named, against what must be."""
    every = watcher.everything()
    mine = {name: causes for name, causes in every.items() if f"lab-{scenario.name}-" in name}
    wanted = [one for name in scenario.of for one in ids.get(name, ())] or [""]
    if not scenario.of:
        mine[""] = every.get("", [])
    final = tuple(_last_of(scenario, one, mine) for one in wanted)
    allowed = {*scenario.also, scenario.cause}
    named = {
        cause
        for name, causes in mine.items()
        for cause in causes
        # A machine that stood still makes healthy requests slow, and that is no lie.
        if any(one and one in name for one in wanted) or ABOUT[cause].kind is not Kind.SLOW
    }
    right = all(one is scenario.cause for one in final)
    return Result(
        name=scenario.name,
        cause=scenario.cause,
        named=mine,
        seconds=0,
        final=final,
        passed=right and (named <= allowed or not scenario.of),
    )


def _last_of(scenario: Scenario, request: str, named: dict[str, list[Cause]]) -> Cause | None:
    """What was named last for the request; where its halves are apart, for either of them."""
    if not request:
        return scenario.cause if scenario.cause in named.get("", ()) else None
    last = [causes[-1] for name, causes in named.items() if request in name and causes]
    return scenario.cause if scenario.cause in last else next(iter(last), None)


def _together(scenario: Scenario) -> tuple[bool, bytes, str]:
    alone = scenario.setup.alone
    return alone, msgspec.json.encode(scenario.setup), scenario.name if alone else ""


def _on_one_setup(scenarios: list[Scenario], say: Say, record: Path | None) -> Iterator[Result]:
    left = list(scenarios)
    while left:
        with fresh() as run, started(run, _wish(left[0].setup)) as pair:
            say(f"starting {len(pair.engines)} engines for {', '.join(one.name for one in left)}")
            try:
                await_ready(pair.engines, Progress())
            except EngineDiedError as error:
                yield from (_unplayed(one, str(error)) for one in left)
                return
            while left:
                scenario = left.pop(0)
                yield _play(scenario, pair, record)
                if left and not _is_whole(pair):
                    say(f"{scenario.name} left engines that serve no more; starting new ones")
                    break


def _unplayed(scenario: Scenario, error: str) -> Result:
    return Result(name=scenario.name, cause=scenario.cause, named={}, seconds=0, error=error)


def _play(scenario: Scenario, pair: Pair, record: Path | None) -> Result:
    began = time.monotonic()
    file = None if record is None else record / f"{scenario.name}.kvtrace.gz"
    error = ""
    with ExitStack() as stack:
        voice = pair.router.voice if scenario.router_speaks else None
        about = f"lab-{scenario.name}-"
        watcher = stack.enter_context(Watcher(pair.run_dir, file, about, voice))
        stage = stack.enter_context(Stage(pair, watcher, scenario.name))
        try:
            for step in scenario.step:
                stage.perform(step)
            if scenario.cause is None:
                watcher.until(lambda: False, CALM)
            else:
                watcher.until(lambda: judge(scenario, stage.ids, watcher).passed, scenario.within)
        except LabError as failure:
            error = str(failure)
        result = judge(scenario, stage.ids, watcher)
        if file is not None and result.passed and not error:
            # Else a replay can end just before it is named.
            time.sleep(AFTERWARDS)
    return msgspec.structs.replace(
        result,
        seconds=round(time.monotonic() - began, 1),
        error=error,
        passed=result.passed and not error,
    )


def _is_whole(pair: Pair) -> bool:
    """Whether the engines still serve healthy requests."""
    try:
        with Watcher(pair.run_dir) as watcher, Stage(pair, watcher, "after") as stage:
            stage.perform(Serve(count=1))
    except (LabError, OSError):
        return False
    return True


def _wish(setup: Setup) -> Wish:
    return Wish(
        tp_producer=setup.tp_producer,
        tp_consumer=setup.tp_consumer,
        second_producer=setup.second_producer,
        extra={
            "kv_lease_duration": setup.lease,
            "push_registration_timeout": setup.watchdog,
            **setup.extra,
        },
        env=setup.env,
        consumer_env=setup.consumer_env,
        flags=setup.flags,
        consumer_flags=setup.consumer_flags,
        faulty=True,
    )
