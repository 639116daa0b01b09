"""Lets keys be answered first, beside the thread that takes in events."""

import sys

from kvtrace.garbage import collect_seldom

TURN = 0.001
"""Seconds that one thread may work while another waits for its turn; Python's own are five."""


MADE = 5_000
"""Things made between two looks for garbage: none must hold a key up for a tenth of a second."""


def keys_first() -> None:
    """Take turns often, and do not look through what is there by now for garbage."""
    sys.setswitchinterval(TURN)
    collect_seldom(MADE)
