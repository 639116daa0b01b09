"""Keys come first."""

import gc
import sys

from kvtrace.tui.priority import MADE, TURN, keys_first


def test_threads_take_turns_often_and_garbage_is_looked_for_seldom() -> None:
    before = sys.getswitchinterval(), gc.get_threshold()
    # What Python begins with; another test may have asked for more.
    sys.setswitchinterval(0.005)
    gc.set_threshold(700)
    try:
        keys_first()
        assert sys.getswitchinterval() == TURN < 0.005
        assert gc.get_threshold()[0] == MADE > 700
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before[0])
        gc.set_threshold(*before[1])
