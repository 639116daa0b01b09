"""Brings lines of an earlier recording version to the present form, one function for each step."""

from collections.abc import Callable

from kvtrace.recording import VERSION

STEPS: tuple[Callable[[bytes], bytes], ...] = ()
"""The step at place n brings a line from version n + 1 to the one after it."""


def upgraded(line: bytes, version: int) -> bytes:
    """The line as the present version would have written it."""
    for step in STEPS[version - 1 :]:
        line = step(line)
    return line


def readable(version: int) -> bool:
    """Whether a recording of that version can be read."""
    return 1 <= version <= VERSION
