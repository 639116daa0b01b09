"""Says why no engine is heard from a directory of black boxes, or from a recording."""

from contextlib import closing
from pathlib import Path

from kvtrace import words
from kvtrace.cli import options
from kvtrace.sources.run_directory import RunDirectory


def why_silent(where: Path, dead_for: int) -> str:
    """What to say of a directory in which no black box is read; nothing where one is.

    Raises BlackBoxError where the directory cannot be listed.
    """
    if none := options.missing(where):
        return none
    with closing(RunDirectory(where, dead_for_ns=dead_for)) as boxes:
        boxes.scan()
        if boxes.followed:
            return ""
        if boxes.refused:
            return next(iter(boxes.refused.values()))
        if not boxes.present:
            return (
                f"{where} holds no black box: an engine that is started with KVTRACE=1"
                f"{options.named(where)} in its environment leaves one there"
            )
        many = words.many(len(boxes.present), "black box", "black boxes")
        return (
            f"{where} holds {many} of engines that died longer ago than --dead says: read them "
            "with --dead 24h, or longer"
        )


def silent(file: Path) -> str:
    """What to say of a recording in which no engine is heard."""
    name = "the standard input" if str(file) == "-" else file
    return f"{name} tells of no engine: record while engines run that were started with KVTRACE=1"
