"""Writes what is on screen to files: a picture, and the same as text."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from errno import EEXIST
from pathlib import Path
from typing import Any

from textual.screen import Screen

LONGEST = 40
"""Characters of what is shown that go into a name."""

TRIES = 1_000
"""Names that are tried, each with the next number, where files have them already."""


def as_text(screen: Screen[Any]) -> str:
    """The lines on screen, without the blanks at their ends."""
    lines = []
    for widget in screen.children:
        side_by_side = [one for one in widget.children if one.display] or [widget]
        for y in range(widget.size.height):
            parts = (one.render_line(y).text for one in side_by_side)
            lines.append("".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def stem(shown: Sequence[str], when: str) -> str:
    """What files are called that keep this: what is shown, and the time of day."""
    said = re.sub(r"[^A-Za-z0-9]+", "-", shown[-1]).strip("-")[:LONGEST].strip("-").lower()
    return "-".join(part for part in ("kvtrace", said, when.replace(":", "")) if part)


def places(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Where files can go: the working directory, else the user's directory for such things."""
    state = environ.get("XDG_STATE_HOME", "")
    home = Path(state) if Path(state).is_absolute() else Path("~/.local/state")
    return [Path(), home / "kvtrace"]


def write(picture: str, text: str, name: str, where: Sequence[Path]) -> str:
    """Both files, in the first place that takes them; says what was written, or why it was not.

    Files that exist stay as they are.
    """
    said = ""
    for place in where:
        try:
            directory = place.expanduser()
            if place != Path():
                directory.mkdir(parents=True, exist_ok=True)
            return _written(directory, name, {".svg": picture, ".txt": text})
        except (OSError, RuntimeError) as error:
            said = said or _refusal(error, place)
    return f"{said}; start kvtrace where there is room and you may write"


def _refusal(error: Exception, place: Path) -> str:
    why = error.strerror if isinstance(error, OSError) else str(error)
    named = "the working directory" if place == Path() else place
    return f"nothing written: {why} in {named}"


def save(path: Path, text: str) -> None:
    """Makes the file, whole or not at all; raises OSError, also where there is one already."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            with suppress(OSError):
                path.unlink()
            raise


def _written(directory: Path, name: str, texts: Mapping[str, str]) -> str:
    for number in range(1, TRIES):
        numbered = name if number == 1 else f"{name}-{number}"
        paths = [directory / f"{numbered}{suffix}" for suffix in texts]
        if not any(path.exists() for path in paths):
            _save_all(dict(zip(paths, texts.values(), strict=True)))
            first, *others = (path.absolute() for path in paths)
            return f"written: {first} and {', '.join(path.name for path in others)}"
    raise FileExistsError(EEXIST, "all names are taken", name)


def _save_all(texts: Mapping[Path, str]) -> None:
    """All of them or none."""
    made: list[Path] = []
    try:
        for path, text in texts.items():
            save(path, text)
            made.append(path)
    except OSError:
        for path in made:
            path.unlink(missing_ok=True)
        raise
