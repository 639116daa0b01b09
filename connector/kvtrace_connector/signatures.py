"""What the seams look like in each release of vLLM that we know, and what counts as alike."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from kvtrace_connector.seams import Kind

Found = Mapping[str, str | None]
"""How each seam looks in one release, by the seam's name; `None` where there is none."""

STATIC = "@static"
"""Stands before the parameters of a static method."""

_FIXED = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")


class Known(msgspec.Struct, frozen=True):
    """The seams of all known releases, kept as what changed from one release to the next."""

    releases: tuple[str, ...]
    """Oldest first."""

    seams: dict[str, dict[str, str | None]]
    """For each seam: from which release on it looks how."""

    def at(self, release: str) -> Found:
        """How the seams look in a known release."""
        upto = self.releases[: self.releases.index(release) + 1]
        return {
            name: [looks[it] for it in upto if it in looks][-1]
            for name, looks in self.seams.items()
        }

    def variants(self, name: str) -> tuple[str, ...]:
        """Every look of a seam that some known release has."""
        looks = self.seams.get(name, {}).values()
        return tuple(look for look in looks if look is not None)


@functools.cache
def known() -> Known:
    """The releases that this version of kvtrace knows."""
    text = Path(__file__).with_name("signatures.json").read_bytes()
    return msgspec.json.decode(text, type=Known)


def signature(parameters: Iterable[tuple[str, str, bool]]) -> str:
    """One line for a list of parameters, each given as its name, kind and whether it has a default.

    Kinds are called as `inspect` calls them; `=` marks a default.
    """
    parts: list[str] = []
    starred = False
    for name, kind, has_default in parameters:
        if kind == "KEYWORD_ONLY" and not starred:
            parts.append("*")
        starred = starred or kind not in _FIXED
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(kind, "")
        slash = "/" if kind == "POSITIONAL_ONLY" else ""
        parts.append(f"{stars}{name}{slash}{'=' if has_default else ''}")
    return ", ".join(parts)


def names(look: str) -> tuple[str, ...]:
    """The parameters' names in a signature, in the order in which they are passed."""
    parts = (part.strip("*/=") for part in look.split(", ") if part != STATIC)
    return tuple(part for part in parts if part)


def alike(kind: Kind, one: str, live: str) -> bool:
    """Whether a live seam can be used as the known one is.

    New parameters may follow the known ones if a caller can leave them out: our hooks pass on
    what they get, and read only what they know.
    """
    if one == live:
        return True
    ours, theirs = one.split(", "), live.split(", ")
    if kind is Kind.CLASS:
        return set(ours) <= set(theirs)
    if kind is not Kind.METHOD or theirs[: len(ours)] != ours:
        return False
    return all(part.endswith("=") or part.startswith("*") for part in theirs[len(ours) :])
