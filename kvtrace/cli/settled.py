"""Reads what a person has settled for the screen, from the file of settings.

Textual is imported late, since only the screen needs it.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kvtrace.tui.preferences import Preferences

MOST = 65_536
"""Bytes of a file that is read; a longer one is none of ours."""


def place(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the file is, whether there or not."""
    told = environ.get("XDG_CONFIG_HOME", "")
    home = Path(told) if Path(told).is_absolute() else Path(environ.get("HOME", "/")) / ".config"
    return home / "kvtrace" / "config.toml"


def settled(environ: Mapping[str, str] = os.environ) -> tuple["Preferences", str]:
    """The settings, and in one line what is wrong with them; then the defaults hold."""
    from kvtrace.tui.preferences import PreferenceError, Preferences, preferences

    path = place(environ)
    try:
        with path.open("rb") as file:
            text = file.read(MOST + 1)
        if len(text) > MOST:
            return Preferences(), f"{path} is too long to be a file of settings; it is not read"
        return preferences(tomllib.loads(text.decode())), ""
    except FileNotFoundError:
        return Preferences(), ""
    except OSError as error:
        return Preferences(), f"{path} cannot be read ({error.strerror}); the defaults hold"
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Preferences(), f"{path} is not TOML: {error}; the defaults hold"
    except PreferenceError as error:
        return Preferences(), f"{path}: {error}; the defaults hold"
