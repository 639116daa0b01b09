"""Finds out what the terminal can draw."""

from collections.abc import Mapping

from kvtrace.tui.glyphs import ASCII, UTF8, Glyphs

_PLAIN = ("", "C", "POSIX")


def glyphs(environ: Mapping[str, str]) -> Glyphs:
    """The signs for the locale that the environment names; UTF-8 where it names none."""
    language = environ.get("LANG", "")
    kind = environ.get("LC_CTYPE", "")
    # Python itself sets this LC_CTYPE where the locale is C; then it says nothing of the terminal.
    if kind == "C.UTF-8" and language in _PLAIN:
        kind = ""
    named = environ.get("LC_ALL") or kind or language
    return UTF8 if not named or "utf" in named.lower() else ASCII


def has_many_colours(environ: Mapping[str, str]) -> bool:
    """Whether the terminal that the environment names shows more than 16 colours."""
    kind = environ.get("TERM", "")
    depth = environ.get("COLORTERM", "")
    return not kind or "256" in kind or "direct" in kind or depth in ("truecolor", "24bit")
