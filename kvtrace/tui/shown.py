"""Which keys the footer and the help page show, out of the bindings themselves."""

from collections.abc import Iterable, Sequence
from itertools import chain

from textual.binding import Binding
from textual.dom import DOMNode

_GROUPS = {
    "move": ("move", "top", "page", "walk", "open", "pop_screen", "trouble"),
    "look": ("sort", "reverse", "fold", "events", "theme"),
    "take away": ("copy", "export"),
    "time": ("pause", "slower", "faster"),
    "leave": ("help", "quit"),
}
"""Actions by what they are for, in the order of the help page."""

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


def grouped(*nodes: Sequence[Binding]) -> dict[str, list[Binding]]:
    """All bindings by what they are for, each key once."""
    groups: dict[str, list[Binding]] = {title: [] for title in _GROUPS}
    seen = set()
    for binding in chain.from_iterable(nodes):
        action = binding.action.split("(")[0].removeprefix("app.")
        title = next((t for t, actions in _GROUPS.items() if action in actions), "look")
        if binding.description and binding.key not in seen and binding.key != "ctrl+c":
            groups[title].append(binding)
            seen.add(binding.key)
    return {title: found for title, found in groups.items() if found}


def key_of(binding: Binding) -> str:
    """How the key is written on screen."""
    return binding.key_display or binding.key.split(",")[0]
