"""Keeps the file that standard error goes to from growing for ever."""

import os
import stat

MOST = 1 << 20
"""Bytes after which it begins anew."""


def keep_short(opened: int = 2, most: int = MOST) -> None:
    """Empty the file, if it is one and has grown too long; whoever appends goes on at its start."""
    try:
        found = os.fstat(opened)
        if stat.S_ISREG(found.st_mode) and found.st_size > most:
            os.ftruncate(opened, 0)
    except OSError:
        # It is closed, or cannot be cut: then what is said there is not ours to bound.
        return
