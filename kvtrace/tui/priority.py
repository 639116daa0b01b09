"""Lets keys be answered first, beside the thread that takes in events."""

import gc
import sys

TURN = 0.001
"""Seconds that one thread may work while another waits for its turn; Python's own are five."""

SELDOM = 50_000
"""Things made between two looks for garbage: what is in flight is much, and holds no cycles."""


def keys_first() -> None:
    """Take turns often, and do not look through what is there by now for garbage."""
    sys.setswitchinterval(TURN)
    gc.freeze()
    gc.set_threshold(SELDOM)
