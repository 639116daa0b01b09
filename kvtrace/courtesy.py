"""Where work that takes long stands aside for whoever answers a person in the same interpreter."""

from collections.abc import Callable


class Courtesy:
    """Asked again and again by long work; does nothing until someone wants to go first."""

    def __init__(self) -> None:
        self._stand_aside: Callable[[], None] | None = None

    def ask(self, stand_aside: Callable[[], None] | None) -> None:
        """From now on call this wherever long work could wait; nothing where it is None."""
        self._stand_aside = stand_aside

    def give_way(self) -> None:
        """Let whoever asked for it go first. What is worked out is the same either way."""
        if self._stand_aside is not None:
            self._stand_aside()


COURTESY = Courtesy()
"""The one of this interpreter, since it is the interpreter that is shared."""
