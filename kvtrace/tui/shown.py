"""Which keys the footer and the help page show, out of the bindings themselves."""

from collections.abc import Iterable

from textual.binding import Binding
from textual.dom import DOMNode

FIRST = 2
"""Of the app's own keys, how many stand before those of the screen."""


def bindings(node: type[DOMNode]) -> list[Binding]:
    """The bindings that a class declares."""
    return [binding for binding in node.BINDINGS if isinstance(binding, Binding)]


def footer(app: Iterable[Binding], screen: Iterable[Binding]) -> list[tuple[str, str]]:
    """Key and description of what is to be shown: the app's first, the screen's, the rest."""
    own = [binding for binding in app if binding.show]
    ordered = [*own[:FIRST], *(binding for binding in screen if binding.show), *own[FIRST:]]
    return [(key_of(binding), binding.description) for binding in ordered]


def key_of(binding: Binding) -> str:
    """How the key is written on screen."""
    return binding.key_display or binding.key.split(",")[0]
