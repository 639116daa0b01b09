"""What a person may settle for good: which theme, which signs, where traces are looked at."""

from collections.abc import Mapping

import msgspec

from kvtrace.errors import KvtraceError
from kvtrace.tui.themes import PALETTES

TRACE = "{trace_id}"
"""Where the trace's id goes in a `trace_url`."""


class PreferenceError(KvtraceError):
    """A setting that there is not, or that has no such value."""


class Preferences(msgspec.Struct, frozen=True):
    """The settings, each with what holds where it is not given."""

    theme: str = "dark"
    trace_url: str = ""
    """Where the tracing backend shows a trace, with `{trace_id}` in it."""

    ascii: bool = False
    """Whether to draw in ASCII, where a terminal draws other signs too wide."""


NAMES = Preferences.__struct_fields__


def preferences(given: Mapping[str, object]) -> Preferences:
    """The settings of a file; raises PreferenceError in one plain line."""
    for name in given:
        if name not in NAMES:
            raise PreferenceError(f"there is no setting {name!r}; there are {', '.join(NAMES)}")
    try:
        found = msgspec.convert(dict(given), Preferences, strict=True)
    except msgspec.ValidationError as error:
        raise PreferenceError(str(error)) from error
    if found.theme not in PALETTES:
        raise PreferenceError(f"there is no theme {found.theme!r}; there are {', '.join(PALETTES)}")
    if found.trace_url and TRACE not in found.trace_url:
        raise PreferenceError(f"trace_url needs {TRACE} where the trace's id goes")
    return found


NO_TRACE_URL = f"set trace_url in the settings file, with {TRACE} where the trace's id goes"


def trace_url(preferences: Preferences, trace: str) -> str:
    """Where that trace is to be seen; empty where a person did not say."""
    return preferences.trace_url.replace(TRACE, trace)
