"""The widget of a replay's bar: a click on it goes there."""

from textual import events
from textual.message import Message

from kvtrace.tui.drawn import Drawn
from kvtrace.tui.scrubber import BEFORE, columns, row_of_bar, scrubber


class Scrubber(Drawn):
    """Three rows in a replay, none elsewhere."""

    class Sought(Message):
        """One wants to go to that position: nanoseconds since the recording's start."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    def __init__(self) -> None:
        super().__init__(scrubber, id="scrubber")

    def on_click(self, event: events.Click) -> None:
        """Go to what is under the pointer."""
        frame = self.frame
        if frame is None or frame.track is None or event.y != row_of_bar(frame):
            return
        room = columns(frame)
        self.post_message(self.Sought(frame.track.at(event.x - BEFORE, room)))
