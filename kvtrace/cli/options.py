"""The options that subcommands share, and what their values mean."""

import errno
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from kvtrace.black_box import run_directory
from kvtrace.errors import KvtraceError
from kvtrace.playback import MAX, SPEEDS
from kvtrace.seeking import By, Target, target

SECOND = 1_000_000_000
EVER = 1 << 64
UNITS = {"s": SECOND, "m": 60 * SECOND, "h": 3_600 * SECOND, "d": 86_400 * SECOND}
DURATIONS = re.compile(r"(?:\d+(?:\.\d+)?[smhd])+")
PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])")


def duration(text: str) -> int:
    """What `90s`, `30m`, `1h30m`, `2d` or `0` means in nanoseconds."""
    if text != "0" and not DURATIONS.fullmatch(text):
        raise click.BadParameter(f"{text!r} is no duration: write 90s, 30m, 24h, 2d or 0")
    nanoseconds = sum(float(number) * UNITS[unit] for number, unit in PART.findall(text))
    # Longer than any clock can tell is for ever.
    return int(min(nanoseconds, EVER))


def speed(text: str) -> float:
    """What `0.5x`, `10` or `max` means in recorded seconds a second."""
    if text == "max":
        return MAX
    try:
        factor = float(text.removesuffix("x"))
    except ValueError:
        factor = 0.0
    if not SPEEDS[0] <= factor <= SPEEDS[-1]:
        raise click.BadParameter(f"{text!r} is no speed: write 0.1x to 1000x, or max")
    return factor


def seconds(text: str) -> float:
    """What `60`, `0.5` or `2m` means, in seconds."""
    try:
        number = duration(text) / SECOND if DURATIONS.fullmatch(text) else float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{text!r} is no number of seconds: write 60, 0.5 or 2m")
    return number


def place(text: str) -> Target:
    """What `1m30s`, `50%`, `12:03:41` or a part of an id means; there is no here to count from."""
    wanted = target(text)
    if isinstance(wanted, By):
        raise click.BadParameter(f"{text!r} is no place: write 1m30s, 50%, 12:03:41 or an id")
    return wanted


def path(text: str) -> Path:
    """The path, whatever there is; an empty name would mean the directory one happens to be in."""
    if not text:
        raise click.BadParameter("it is empty: name a file or a directory")
    try:
        os.stat(text)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise click.BadParameter("no file can have so long a name") from error
    return Path(text)


class _File(click.Path):
    """A path that shells complete as one."""

    name = "file"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The path; refuses what can be none."""
        return value if isinstance(value, Path) else path(str(value))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leaves it to the shell."""
        return [CompletionItem(incomplete, type="file")]


FILE = _File()

directory = click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=FILE,
    help="Where the black boxes are; else KVTRACE_DIR, else /dev/shm/kvtrace-<your uid>.",
)
dead = click.option(
    "--dead",
    "dead_for",
    metavar="DURATION",
    type=duration,
    default="1h",
    show_default=True,
    help="Also read engines that died at most this long ago: 24h, 90s; 0 for none.",
)
force = click.option("--force", is_flag=True, help="Overwrite a recording that exists.")


def missing(where: Path, *, uid: int | None = None) -> str:
    """What to say where there is no such directory; nothing where there is one."""
    if where.exists():
        return ""
    return (
        f"{where} does not exist: the first engine that is started with KVTRACE=1"
        f"{named(where, uid=uid)} in its environment makes it"
    )


def named(where: Path, *, uid: int | None = None) -> str:
    """What an engine must be told beside KVTRACE=1 so that its black box is there, if anything."""
    ours = where == run_directory({}, os.getuid() if uid is None else uid)
    return "" if ours else f" and KVTRACE_DIR={where.absolute()}"


def readable(
    given: Path | None, *, environ: Mapping[str, str] = os.environ, uid: int | None = None
) -> Path:
    """The directory of the black boxes, whether it exists yet or not.

    Raises KvtraceError where it cannot be read, or is another user's.
    """
    uid = os.getuid() if uid is None else uid
    where = given or run_directory(environ, uid)
    try:
        owner = where.stat().st_uid
    except FileNotFoundError:
        return where
    except OSError as error:
        raise KvtraceError(
            f"{where} cannot be read ({error.strerror}): name another place with --dir"
        ) from error
    if not where.is_dir():
        raise KvtraceError(f"{where} is not a directory: name one with --dir")
    if uid not in (0, owner):
        raise KvtraceError(f"{where} belongs to user {owner}: run kvtrace as that user")
    if not os.access(where, os.R_OK | os.X_OK):
        raise KvtraceError(f"{where} cannot be read: let its owner read it, with chmod u+rx")
    return where
