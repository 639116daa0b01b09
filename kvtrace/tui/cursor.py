"""Where one is in a list that is longer than the screen."""


class Cursor:
    """The line one is on, and the first in sight."""

    def __init__(self) -> None:
        self.at = 0
        self.first = 0

    def go(self, index: int, count: int) -> None:
        """To that line of so many, or to the nearest there is."""
        self.at = min(max(index, 0), max(count - 1, 0))

    def scroll(self, room: int, count: int) -> None:
        """Keep it in sight in so many lines."""
        self.go(self.at, count)
        longest = max(count - room, 0)
        self.first = min(max(self.first, self.at - room + 1), self.at, longest)
