"""What only the host knows: the clock that its instants belong to."""

from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id(path: Path = BOOT_ID) -> str:
    """Names this boot of this host, as black boxes do; empty where the system has no such name."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
