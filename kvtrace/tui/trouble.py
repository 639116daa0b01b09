"""What a screen tells when it is asked for the next trouble and sees none."""

from textual.message import Message


class NoTrouble(Message):
    """There is nothing to go to."""

    def __init__(self, said: str) -> None:
        """`said` is that in words, of what the screen shows."""
        super().__init__()
        self.said = said
