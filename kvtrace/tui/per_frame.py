"""What several drawings of one frame need is worked out once."""

from collections.abc import Callable
from typing import TypeVar

from kvtrace.tui.frame import Frame

T = TypeVar("T")


def per_frame(work_out: Callable[[Frame], T]) -> Callable[[Frame], T]:
    """The same function, which remembers what it gave for the last frame; none may change that."""
    last: tuple[Frame, T] | None = None

    def known(frame: Frame) -> T:
        nonlocal last
        if last is None or last[0] is not frame:
            last = frame, work_out(frame)
        return last[1]

    known.__doc__ = work_out.__doc__
    return known
