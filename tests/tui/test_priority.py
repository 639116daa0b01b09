"""Keys come first."""

import asyncio
import gc
import sys
import threading
import time

from kvtrace.tui.priority import MADE, TURN, Precedence, keys_first, loop


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


def beside(precedence: Precedence) -> threading.Event:
    """Set once another thread that stands aside goes on."""
    gone = threading.Event()

    def go() -> None:
        precedence.stand_aside()
        gone.set()

    threading.Thread(target=go, daemon=True).start()
    return gone


def test_others_wait_while_the_screen_is_at_work_and_go_on_when_it_rests() -> None:
    precedence = Precedence(patience=60)
    assert beside(precedence).wait(60)
    precedence.begin()
    gone = beside(precedence)
    assert not gone.wait(0.05)
    precedence.stand_aside()  # Who is to go first waits for nobody.
    precedence.rest()
    assert gone.wait(60)


def test_who_waited_in_vain_goes_on_for_as_long_before_it_waits_again() -> None:
    now = [0.0]
    precedence = Precedence(patience=0.01, now=lambda: now[0])
    precedence.begin()
    waits = []

    def go() -> None:
        for at in (0.0, 0.005, 0.02):
            now[0] = at
            began = time.perf_counter()
            precedence.stand_aside()
            waits.append(time.perf_counter() - began >= 0.01)

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    assert waits == [True, False, True]


def test_what_an_event_loop_does_goes_first_and_what_it_waits_for_does_not() -> None:
    precedence = Precedence(patience=60)
    seen = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        gone = beside(precedence)
        seen.append(gone.wait(0.05))
        while not gone.is_set():
            await asyncio.sleep(0.01)
        seen.append(True)

    with asyncio.Runner(loop_factory=lambda: loop(precedence)) as runner:
        runner.run(work())
    assert seen == [False, True]
