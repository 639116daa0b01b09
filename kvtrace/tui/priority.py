"""Lets keys be answered first, beside the thread that takes in events."""

import sys

from kvtrace.garbage import collect_seldom

TURN = 0.001
"""Seconds that one thread may work while another waits for its turn; Python's own are five."""


def keys_first() -> None:
    """Take turns often, and do not look through what is there by now for garbage."""
    sys.setswitchinterval(TURN)
    collect_seldom()
