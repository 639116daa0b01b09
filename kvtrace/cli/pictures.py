"""Writes a picture of what is known to a file, as --svg asks."""

from pathlib import Path

from kvtrace.errors import KvtraceError
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot

OTHERS = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".eps", ".ps"))
"""How names end that promise a picture of another form."""


def write_picture(
    snapshot: Snapshot, source: str, path: Path, playback: Playback | None = None
) -> None:
    """Makes the file; raises KvtraceError where it exists already or cannot be written.

    It is SVG, whatever it is called; a name that promises another form is refused.
    """
    if path.suffix.lower() in OTHERS:
        raise KvtraceError(f"{path}: the picture is SVG: call it {path.with_suffix('.svg')}")
    if path.exists():
        raise KvtraceError(f"{path} exists already: name another file, or remove it")
    # Textual takes longer to import than all the rest, and only pictures and the screen need it.
    from kvtrace.tui.export import save
    from kvtrace.tui.picture import picture

    try:
        save(path, picture(snapshot, source, playback))
    except OSError as error:
        raise KvtraceError(
            f"{path} cannot be written ({error.strerror}): name another place"
        ) from error
