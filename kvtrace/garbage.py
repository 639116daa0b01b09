"""How often Python looks for garbage in kvtrace's own processes, never in an engine's."""

import gc

SELDOM = 50_000
"""Things made between two looks: events and transfers are many, and hold no cycles."""


def collect_seldom() -> None:
    """Look for garbage seldom, and never through what is there by now; looking takes a tenth."""
    gc.freeze()
    gc.set_threshold(SELDOM)
