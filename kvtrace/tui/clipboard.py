"""What is to be put on the clipboard."""

from textual.message import Message


class Copied(Message):
    """An id is to be put on the clipboard."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
