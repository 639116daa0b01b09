"""What the demo can be told on its command line."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

EXAMPLES = """\
examples:
  make demo
      two engines, traffic, and the live screen; q or Ctrl-C ends all of it
  make demo ARGS="--headless --seconds 30 --json"
      no terminal; one JSON document on stdout when it is over
  make demo ARGS="--record demo.kvtrace"
      keeps a recording, for `kvtrace replay demo.kvtrace`
  make demo ARGS="--tp-consumer 2"
      one rank of the producer writes to two of the consumer

exit codes:
  0 all requests answered   1 some were not   2 the demo could not run   130 interrupted
"""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """One way to run the demo."""

    headless: bool
    seconds: float
    json: bool
    record: Path | None
    router_log: Path | None
    tp_producer: int
    tp_consumer: int
    rate: float
    concurrency: int
    seed: int
    router_port: int
    producer_port: int
    consumer_port: int
    kvtrace: Path


def parse(words: Sequence[str]) -> Options:
    """Understand a command line; exits with a sentence when it cannot."""
    return msgspec.convert(vars(_parser().parse_args(words)), Options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.demo",
        description="Run a producer and a consumer engine with traffic, and watch their transfers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--headless", action="store_true", help="no screen; stop after --seconds of traffic")
    add("--seconds", type=_positive, default=30.0, help="of traffic when headless (30)")
    add("--json", action="store_true", help="headless: print the result as one JSON document")
    add("--record", type=Path, metavar="FILE", help="keep a kvtrace recording of the run")
    add("--router-log", type=Path, metavar="FILE", help="keep what the router saw, as JSON lines")
    add("--tp-producer", type=int, default=1, choices=(1, 2), help="ranks of the producer (1)")
    add("--tp-consumer", type=int, default=1, choices=(1, 2), help="ranks of the consumer (1)")
    add("--rate", type=_positive, default=1.0, help="requests a second, on average (1)")
    add("--concurrency", type=int, default=4, help="requests in flight at most (4)")
    add("--seed", type=int, default=1, help="of the traffic (1)")
    add("--router-port", type=_port, default=0, help="of the router (a free one)")
    add("--producer-port", type=_port, default=0, help="of the producer's API (a free one)")
    add("--consumer-port", type=_port, default=0, help="of the consumer's API (a free one)")
    beside = Path(sys.executable).with_name("kvtrace")
    add("--kvtrace", type=Path, default=beside, help="the kvtrace to run (the one beside Python)")
    return parser


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**16:
        raise argparse.ArgumentTypeError(f"{text} is no port")
    return number
