"""What two engines' ids of one request have in common."""

import re

_ENGINES_OWN = re.compile(r"-[0-9a-fA-F]{8}\Z")


def base_id(local: str) -> str:
    """The id without the eight hex digits that each engine appends to make it its own."""
    return _ENGINES_OWN.sub("", local)
