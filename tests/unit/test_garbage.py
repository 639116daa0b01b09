"""Garbage is looked for seldom."""

import gc

from kvtrace.garbage import SELDOM, collect_seldom

PYTHONS = 700
"""What Python begins with; another test may have asked for more."""


def test_garbage_is_looked_for_seldom_and_not_in_what_is_there() -> None:
    before = gc.get_threshold()
    gc.set_threshold(PYTHONS)
    try:
        collect_seldom()
        assert gc.get_threshold()[0] == SELDOM > PYTHONS
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
