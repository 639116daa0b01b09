"""Writes what is on screen to files: a picture, and the same as text."""

from pathlib import Path

from textual.screen import Screen


def as_text(screen: Screen[object]) -> str:
    """The lines on screen, without the blanks at their ends."""
    lines = [
        widget.render_line(y).text.rstrip()
        for widget in screen.children
        for y in range(widget.size.height)
    ]
    return "\n".join(lines) + "\n"


def write(picture: str, text: str, stem: Path) -> str:
    """Both files, named after the stem; says what was written, or why it was not."""
    svg, txt = stem.with_suffix(".svg"), stem.with_suffix(".txt")
    try:
        svg.write_text(picture, encoding="utf-8")
        txt.write_text(text, encoding="utf-8")
    except OSError as error:
        return f"nothing written: {error.strerror}: {error.filename}; start kvtrace elsewhere"
    return f"written: {svg.absolute()} and {txt.name}"
