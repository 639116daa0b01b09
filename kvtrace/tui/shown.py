"""Which keys the footer and the help page show, out of the bindings themselves."""

from collections.abc import Iterable, Sequence

import msgspec
from textual.binding import Binding
from textual.dom import DOMNode

_GROUPS = {
    "move": (
        *("move", "top", "bottom", "page", "across", "walk"),
        *("open", "trouble", "pop_screen", "back"),
    ),
    "screens": ("go", "turn", "command_palette"),
    "find": ("find", "everything", "sort", "reverse", "follow", "mark", "only_marked"),
    "look": ("show", "ranks", "fold", "events", "theme", "times"),
    "take away": ("copy", "report", "explain", "browse", "export"),
    "time": ("pause", "drive", "go_to"),
    "leave": ("help", "quit"),
}
"""Actions by what they are for, in the order of the help page."""

_BY_USE = (
    *("help", "quit", "pop_screen", "open", "find", "walk", "trouble", "sort"),
    *("explain", "show", "ranks", "fold", "events", "pause", "follow", "mark", "copy", "browse"),
    *("theme", "export"),
)
"""Actions in the order of the footer, of which the last are dropped first."""


_FAMILIES = {"bottom": "top", "reverse": "sort", "only_marked": "mark"}
"""Actions that stand beside their counterpart on the help page."""

KEYS_WIDTH = 9
"""Cells for keys on the help page."""

_SAID = 28


def bindings(node: type[DOMNode]) -> list[Binding]:
    """The bindings that a class declares."""
    return [binding for binding in node.BINDINGS if isinstance(binding, Binding)]


def footer(app: Iterable[Binding], screen: Iterable[Binding]) -> list[tuple[str, str]]:
    """Key and description of what is to be shown, what is used most first."""
    shown = [binding for binding in (*screen, *app) if binding.show]
    shown.sort(key=lambda one: _BY_USE.index(a) if (a := _action(one)) in _BY_USE else 99)
    return [(key_of(binding), binding.description) for binding in shown]


class Key(msgspec.Struct, frozen=True):
    """A line of the help page: keys, what they do, and where, if not everywhere."""

    keys: str
    said: str
    where: str = ""


Nodes = Iterable[tuple[str, Sequence[Binding]]]
"""Bindings by the screen on which they hold."""


def grouped(screens: Nodes, app: Sequence[Binding]) -> dict[str, list[Key]]:
    """All keys by what they are for, each once for each thing that it does."""
    holds: dict[tuple[str, str], set[str]] = {}
    first: dict[tuple[str, str], Binding] = {}
    places = []
    for screen, found in (*screens, ("", app)):
        places += [screen] if screen and screen not in places else []
        for one in found:
            if one.description and one.key != "ctrl+c":
                holds.setdefault((key_of(one), one.description), set()).add(screen)
                first.setdefault((key_of(one), one.description), one)
    groups: dict[str, list[Key]] = {title: [] for title in _GROUPS}
    before = ""
    for named, binding in first.items():
        action = _action(binding)
        title = next((t for t, actions in _GROUPS.items() if action in actions), "look")
        key = Key(*named, _where(holds[named], places))
        family = _FAMILIES.get(action, action)
        both = _joined(groups[title][-1], key) if family == before and groups[title] else None
        if both is not None:
            groups[title][-1] = both
        else:
            groups[title].append(key)
        before = family if both is None else ""
    return {title: found for title, found in groups.items() if found}


def _where(holds: set[str], places: Sequence[str]) -> str:
    """Where keys hold; empty where that is wherever a digit leads, or everywhere."""
    missing = [place for place in places if place not in holds]
    if "" in holds or missing in ([], ["Transfer"]):
        return ""
    if len(missing) == 1:
        return f"not on {missing[0]}"
    return ", ".join(place for place in places if place in holds)


def _joined(one: Key, other: Key) -> Key | None:
    """Two keys that are each other's counterpart in one line, where they fit."""
    keys, said = f"{one.keys} {other.keys}", f"{one.said}, {other.said}"
    room = _SAID - len(f"  {one.where}" if one.where else "")
    fits = len(keys) <= KEYS_WIDTH and len(said) <= room
    return Key(keys, said, one.where) if fits and one.where == other.where else None


def _action(binding: Binding) -> str:
    return binding.action.split("(")[0].removeprefix("app.")


def key_of(binding: Binding) -> str:
    """How the key is written on screen."""
    return binding.key_display or binding.key.split(",")[0]
