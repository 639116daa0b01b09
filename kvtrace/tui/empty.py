"""Says what to do where a screen has nothing to show."""

from rich.text import Text

from kvtrace.tui.frame import Frame
from kvtrace.tui.text import PROSE, piece, wrap

START = "Start vLLM with KVTRACE=1 in its environment, and its engines show up here."


def silent(frame: Frame, instead: str = "") -> list[Text]:
    """What is read, and how engines come to be heard; or what else there is to say."""
    told = [instead] if instead else [f"Reading {frame.source}.", START]
    width = min(frame.width - 2, PROSE)
    lines = [line for one in told for line in wrap(frame.look.words(one), width)]
    return [piece(f" {line}", frame.look.style("muted")) for line in lines]
