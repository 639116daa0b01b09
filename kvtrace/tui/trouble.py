"""What a screen tells when it is asked for something and has nothing."""

from textual.message import Message


class NoTrouble(Message):
    """There is nothing to go to, to open or to copy."""

    def __init__(self, said: str) -> None:
        """`said` is that in words, of what the screen shows."""
        super().__init__()
        self.said = said
