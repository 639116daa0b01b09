"""The keys that drive a replay, and what each of them does."""

from collections.abc import Iterable

from textual.binding import Binding

from kvtrace.playback import Playback
from kvtrace.seeking import SECOND, By, Step

JUMP = 5 * SECOND

BINDINGS = (
    Binding("left_square_bracket", "drive('slower')", "slower", key_display="[", show=False),
    Binding("right_square_bracket", "drive('faster')", "faster", key_display="]", show=False),
    Binding("full_stop", "drive('step')", "one event on", key_display=".", show=False),
    Binding("comma", "drive('back')", "one event back", key_display=",", show=False),
    Binding("greater_than_sign", "drive('jump')", "5 s on", key_display=">", show=False),
    Binding("less_than_sign", "drive('rewind')", "5 s back", key_display="<", show=False),
    Binding("percent_sign", "go_to", "go to a time", key_display="%", show=False),
)

PAUSE = ("space", "pause")
FOOTER = (PAUSE, ("%", "go to"), (", .", "step"), ("< >", "5 s"), ("[ ]", "speed"))
"""What the footer says of them in a replay."""

_FIRST = 4
"""Keys before them: help, quit, and the two that a screen is used with most."""


def footer(keys: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The footer in a replay: what is needed most, then what drives it, then the rest."""
    rest = [key for key in keys if key != PAUSE]
    return [*rest[:_FIRST], *FOOTER, *rest[_FIRST:]]


def drive(playback: Playback, what: str) -> None:
    """Do what the key says."""
    match what:
        case "slower":
            playback.slower()
        case "faster":
            playback.faster()
        case "step":
            playback.go(Step(1))
        case "back":
            playback.go(Step(-1))
        case "jump":
            playback.go(By(JUMP))
        case "rewind":
            playback.go(By(-JUMP))
