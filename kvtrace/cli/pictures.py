"""Writes a picture of what is known to a file, as --svg asks."""

from pathlib import Path

from kvtrace.errors import KvtraceError
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot


def write_picture(
    snapshot: Snapshot, source: str, path: Path, playback: Playback | None = None
) -> None:
    """Makes the file; raises KvtraceError where it exists already or cannot be written."""
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
