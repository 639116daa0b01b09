"""What the lab can be told on its command line, with examples of all of it."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

EXAMPLES = """\
examples:
  kvtrace lab list
      which scenarios there are, which cause each is to be named, and what it does
  kvtrace lab run prefill-dropped
      two engines, one thing that goes wrong, and whether kvtrace names it
  kvtrace lab run --all --json > results.json
  kvtrace lab run --all --record recordings/ --page docs/lab.md
  kvtrace lab page monday.json tuesday.json > docs/lab.md
  kvtrace lab healthy --seconds 900
  kvtrace lab run --help
      what else `run` can be told; so for every other word

exit codes:
  0 all was named right   1 something was not   2 the lab could not run   130 interrupted
"""

LIST = """\
examples:
  kvtrace lab list
  kvtrace lab list --json | jq -r '.[].name'
"""

RUN = """\
examples:
  kvtrace lab run prefill-dropped decode-dropped
  kvtrace lab run prefill-dropped --times 5
  kvtrace lab run prefill-dropped --record kept/
      then `kvtrace replay kept/prefill-dropped.kvtrace.gz`
  kvtrace lab run --all --json > results.json
"""

PAGE = """\
examples:
  kvtrace lab page results.json > docs/lab.md
  kvtrace lab page monday.json tuesday.json
"""

HEALTHY = """\
examples:
  kvtrace lab healthy
  kvtrace lab healthy --seconds 900 --record healthy.kvtrace.gz
"""


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """What a command line means; exits with a sentence when that is nothing."""
    parser = argparse.ArgumentParser(
        prog="kvtrace lab",
        description="Break real engines in known ways, and see which cause kvtrace names.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="WORD", title="what it does"
    )
    _list(commands)
    _run(commands)
    _page(commands)
    _healthy(commands)
    return parser.parse_args(words)


def _command(commands: Any, name: str, said: str, examples: str) -> Any:
    return commands.add_parser(
        name,
        help=said,
        description=f"{said[0].upper()}{said[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).add_argument


def _list(commands: Any) -> None:
    add = _command(
        commands, "list", "tell which scenarios there are, and the cause that is to be named", LIST
    )
    add("--json", action="store_true", help="as one JSON list, with the modes that each is for")


def _run(commands: Any) -> None:
    add = _command(
        commands, "run", "play scenarios on real engines, one after the other (needs vLLM)", RUN
    )
    add("names", nargs="*", metavar="NAME", help="a scenario that `kvtrace lab list` tells of")
    add("--all", action="store_true", help="every scenario, instead of names")
    add("--json", action="store_true", help="the results as one JSON list, on stdout at the end")
    add("--times", type=_times, default=1, metavar="N", help="play all of them so often (1)")
    add("--record", type=Path, metavar="DIR", help="keep a recording of each scenario there")
    add("--page", type=Path, metavar="FILE", help="write the table of what was named to it")


def _page(commands: Any) -> None:
    add = _command(
        commands, "page", "make one table, in Markdown, of what was named in several runs", PAGE
    )
    add("results", nargs="+", type=Path, metavar="FILE", help="what `run --json` wrote")


def _healthy(commands: Any) -> None:
    add = _command(
        commands, "healthy", "send healthy requests, for which nothing is to be named", HEALTHY
    )
    add("--seconds", type=_seconds, default=60, metavar="S", help="send for so long (60)")
    add("--record", type=Path, metavar="FILE", help="keep what was heard there, for replay")
    add("--json", action="store_true", help="what was named as one JSON object, on stdout")


def _times(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of times: write 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above zero")
    return number
