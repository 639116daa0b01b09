"""Keys come first."""

import gc
import sys

from kvtrace.tui.priority import SELDOM, TURN, keys_first


def test_threads_take_turns_often_and_garbage_is_looked_for_seldom() -> None:
    before = sys.getswitchinterval(), gc.get_threshold()
    try:
        keys_first()
        assert sys.getswitchinterval() == TURN < before[0]
        assert gc.get_threshold()[0] == SELDOM > before[1][0]
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before[0])
        gc.set_threshold(*before[1])
