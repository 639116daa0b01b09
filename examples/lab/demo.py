"""The demo: engines, router, traffic and kvtrace on one machine, all gone when it ends."""

import json
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from lab.engine import await_ready
from lab.errors import LabError
from lab.options import Options, parse
from lab.pair import Pair, Wish, started
from lab.plan import plan
from lab.progress import Progress
from lab.run import Run, fresh
from lab.toolkit import Toolkit
from lab.traffic import Counts, Traffic

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

PATIENCE = 30.0
"""Seconds that requests in flight get when the traffic ends."""

NO_END = 10 * 365 * 86_400.0


class InterruptedDemoError(Exception):
    """Somebody wants us to end."""


def main(words: Sequence[str]) -> int:
    """Run the demo, and return its exit code."""
    options = parse(words)
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    try:
        return _run(options)
    except LabError as error:
        print(f"kvtrace demo: {error}", file=sys.stderr)
        return 2
    except InterruptedDemoError:
        print("kvtrace demo: interrupted; all of it has ended.", file=sys.stderr)
        return 130


def _run(options: Options) -> int:
    wish = Wish(
        tp_producer=options.tp_producer,
        tp_consumer=options.tp_consumer,
        router_port=options.router_port,
        producer_port=options.producer_port,
        consumer_port=options.consumer_port,
    )
    with fresh() as run, started(run, wish) as pair:
        try:
            _say("starting two engines; the first start takes a minute or two")
            await_ready(pair.engines, Progress())
            return _watch(options, run, pair)
        finally:
            _hear_no_more()
            if options.router_log is not None and pair.router_file.exists():
                shutil.copy(pair.router_file, options.router_log)


def _watch(options: Options, run: Run, pair: Pair) -> int:
    toolkit = Toolkit(options.kvtrace, run)
    traffic = Traffic(pair.url, plan(options.rate, options.seed), options.concurrency)
    with toolkit.recording(options.record):
        if options.headless:
            return _headless(options, toolkit, pair, traffic)
        going = pair.loop.submit(traffic.run(NO_END, 0))
        try:
            return toolkit.screen()
        except InterruptedDemoError:
            return 0
        finally:
            going.cancel()


def _headless(options: Options, toolkit: Toolkit, pair: Pair, traffic: Traffic) -> int:
    _say(f"traffic for {options.seconds:.0f} s, {options.rate:g} requests a second")
    pair.loop.run(traffic.run(options.seconds, PATIENCE))
    result = document(toolkit.snapshot(), traffic.counts)
    print(json.dumps(result) if options.json else _in_words(result))
    if traffic.last_error:
        _say(f"the last error: {traffic.last_error}")
    return 0 if traffic.counts.answered == traffic.counts.sent else 1


def document(snapshot: dict[str, Any], counts: Counts) -> dict[str, Any]:
    """Put what kvtrace saw beside what the traffic saw."""
    return {
        **snapshot["totals"],
        "phases": {name: _percentiles(line) for name, line in snapshot["phases"].items()},
        "losses": snapshot["losses"],
        "sent": counts.sent,
        "answered": counts.answered,
        "errors": counts.errors,
        "unanswered": counts.in_flight,
    }


def _percentiles(line: dict[str, Any]) -> dict[str, Any]:
    return {name: line[name] for name in ("p50", "p99", "count")}


def _in_words(result: dict[str, Any]) -> str:
    numbers = ("sent", "answered", "errors", "finished", "failed", "waiting")
    return ", ".join(f"{name} {result.get(name, '?')}" for name in numbers)


def _interrupt(number: int, frame: object) -> NoReturn:
    _hear_no_more()
    raise InterruptedDemoError(signal.Signals(number).name)


def _hear_no_more() -> None:
    """Let nothing interrupt the tidying up, which is short."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _say(words: str) -> None:
    print(f"kvtrace demo: {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
