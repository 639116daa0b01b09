"""The lab's command line: which scenarios there are, and what kvtrace names for each."""

import argparse
import importlib.util
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from kvtrace.cli.streams import put
from kvtrace.errors import KvtraceError
from lab.confusion import page
from lab.errors import LabError
from lab.parser import parsed
from lab.result import Result
from lab.scenario import Scenario, chosen, every

NEEDED = ("vllm", "nixl", "zmq", "aiohttp", "psutil")
"""What playing takes beside kvtrace; telling which scenarios there are takes none of it."""


class InterruptedLabError(Exception):
    """Somebody wants us to end."""


def main(words: Sequence[str]) -> int:
    """Do what the words say, and return the exit code."""
    options = parsed(words)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return _COMMANDS[options.command](options)
    except (LabError, KvtraceError) as error:
        print(f"kvtrace lab: {error}", file=sys.stderr)
        return 2
    except InterruptedLabError:
        print("kvtrace lab: interrupted; all of it has ended.", file=sys.stderr)
        return 130


def _list(options: argparse.Namespace) -> int:
    found = every()
    if options.json:
        told = [
            {"name": one.name, "title": one.title, "cause": one.cause, "modes": one.modes}
            for one in found
        ]
        put([msgspec.json.encode(told).decode()])
        return 0
    width = max(len(one.name) for one in found)
    put(f"{one.name:{width}}  {one.cause or 'nothing':30}  {one.title}" for one in found)
    return 0


def _run(options: argparse.Namespace) -> int:
    if bool(options.names) == options.all:
        raise LabError("Name scenarios, or say --all: `list` tells which there are.")
    scenarios = every() if options.all else chosen(tuple(options.names))
    _require(NEEDED)
    # Imported here, since it needs what was just looked for.
    from lab.play import play_all

    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    try:
        for _ in range(options.times):
            for result in play_all(scenarios, _say, record=options.record):
                results.append(result)
                _say(_in_words(result))
    finally:
        # Who is interrupted after half an hour wants what there was.
        _tell(options, scenarios, results)
    return 0 if all(one.passed for one in results) else 1


def _tell(options: argparse.Namespace, scenarios: list[Scenario], results: list[Result]) -> None:
    if options.json:
        put([msgspec.json.encode(results).decode()])
    if options.page is not None:
        options.page.write_text(page(scenarios, results), encoding="utf-8")
    _say(f"{sum(one.passed for one in results)} of {len(results)} named right")


def _page(options: argparse.Namespace) -> int:
    results: list[Result] = []
    for file in options.results:
        try:
            results += msgspec.json.decode(file.read_bytes(), type=list[Result])
        except (OSError, msgspec.MsgspecError) as error:
            raise LabError(f"{file} is no result of `run --json`: {error}") from error
    put([page(every(), results).rstrip()])
    return 0


def _healthy(options: argparse.Namespace) -> int:
    _require(NEEDED)
    from lab.healthy import run

    tally = run(options.seconds, _say, record=options.record)
    if options.json:
        put([msgspec.json.encode(tally).decode()])
    named = ", ".join(f"{cause} {count}" for cause, count in tally.named.items())
    engines = f"; of the engines: {', '.join(tally.of_engines)}" if tally.of_engines else ""
    _say(f"{tally.transfers:,} healthy transfers; named: {named or 'nothing'}{engines}")
    return 1 if tally.named else 0


def _require(modules: Sequence[str]) -> None:
    """Raise LabError where one of them is not installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise LabError(
            f"playing scenarios takes real engines, and {', '.join(missing)} is not installed "
            "here: run `make setup-engines`."
        )


def _in_words(result: Result) -> str:
    mark = "right" if result.passed else "WRONG"
    named = ", ".join(dict.fromkeys(one for causes in result.named.values() for one in causes))
    why = f" ({result.error})" if result.error else ""
    return f"{mark}  {result.name}: {named or 'nothing'} in {result.seconds:g} s{why}"


_COMMANDS = {"list": _list, "run": _run, "page": _page, "healthy": _healthy}


def _interrupt(number: int, frame: object) -> NoReturn:
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    raise InterruptedLabError(signal.Signals(number).name)


def _say(words: str) -> None:
    print(f"kvtrace lab: {words}", file=sys.stderr, flush=True)
