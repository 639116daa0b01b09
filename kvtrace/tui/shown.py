"""Which keys the footer and the help page show, out of the bindings themselves."""

from collections.abc import Iterable, Sequence
from itertools import chain

from textual.binding import Binding
from textual.dom import DOMNode

_GROUPS = {
    "move": ("move", "top", "page", "walk", "open", "transfers", "pop_screen", "trouble"),
    "screens": ("go", "turn", "command_palette"),
    "find": ("find", "everything", "sort", "reverse", "follow", "mark", "only_marked"),
    "look": ("show", "ranks", "fold", "events", "theme", "times"),
    "take away": ("copy", "browse", "export"),
    "time": ("pause", "drive", "go_to"),
    "leave": ("help", "quit"),
}
"""Actions by what they are for, in the order of the help page."""

_BY_USE = (
    *("help", "quit", "pop_screen", "open", "transfers", "find", "walk", "trouble", "sort"),
    *("show", "ranks", "fold", "events", "pause", "follow", "mark", "copy", "browse"),
    *("theme", "export"),
)
"""Actions in the order of the footer, of which the last are dropped first."""


def bindings(node: type[DOMNode]) -> list[Binding]:
    """The bindings that a class declares."""
    return [binding for binding in node.BINDINGS if isinstance(binding, Binding)]


def footer(app: Iterable[Binding], screen: Iterable[Binding]) -> list[tuple[str, str]]:
    """Key and description of what is to be shown, what is used most first."""
    shown = [binding for binding in (*screen, *app) if binding.show]
    shown.sort(key=lambda one: _BY_USE.index(a) if (a := _action(one)) in _BY_USE else 99)
    return [(key_of(binding), binding.description) for binding in shown]


def grouped(*nodes: Sequence[Binding]) -> dict[str, list[Binding]]:
    """All bindings by what they are for, each key once for each thing that it does."""
    groups: dict[str, list[Binding]] = {title: [] for title in _GROUPS}
    seen: set[tuple[str, str]] = set()
    for binding in chain.from_iterable(nodes):
        action = _action(binding)
        title = next((t for t, actions in _GROUPS.items() if action in actions), "look")
        fresh = (key_of(binding), binding.description) not in seen
        if binding.description and fresh and binding.key != "ctrl+c":
            groups[title].append(binding)
            seen.add((key_of(binding), binding.description))
    return {title: found for title, found in groups.items() if found}


def _action(binding: Binding) -> str:
    return binding.action.split("(")[0].removeprefix("app.")


def key_of(binding: Binding) -> str:
    """How the key is written on screen."""
    return binding.key_display or binding.key.split(",")[0]
