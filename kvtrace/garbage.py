"""How often Python looks for garbage in kvtrace's own processes, never in an engine's."""

import gc

SELDOM = 50_000
"""Things made between two looks: events and transfers are many, and hold no cycles."""


def collect_seldom(made: int = SELDOM) -> None:
    """Look for garbage once so many things were made, and never through what is there by now.

    To look takes a tenth of the time, and two milliseconds at once for each thousand made.
    """
    gc.freeze()
    gc.set_threshold(made)
