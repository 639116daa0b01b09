"""What two engines' ids of one request have in common."""

import re

_ENGINES_OWN = re.compile(r"-[0-9a-fA-F]{8}\Z")
_ROUTE = re.compile(r"\A(?:\d+_)?(?:chatcmpl-|cmpl-|resp_|generate-tokens-)")
_INDEX = re.compile(r"-\d+\Z")
_CHILD = re.compile(r"\A\d+_")
_SERVERS_OWN = re.compile(r"\A[0-9a-f]{16}\Z")


def base_id(local: str) -> str:
    """The id without the eight hex digits that each engine appends to make it its own."""
    return _ENGINES_OWN.sub("", local)


def is_servers_own(local: str) -> bool:
    """Whether it is an id as vLLM's server makes them, without what each engine appends."""
    return _SERVERS_OWN.match(local) is not None


def routers_ids(local: str) -> frozenset[str]:
    """What a router could have called it: without what vLLM's routes put around its id."""
    whole = _ROUTE.sub("", base_id(local))
    return frozenset({whole, _INDEX.sub("", whole)})


def siblings(base: str, most: int = 8) -> tuple[str, ...]:
    """Base ids of the request itself, and of others that one call asked for beside this one."""
    parent = _CHILD.sub("", base)
    stem = _INDEX.sub("", parent)
    found = [parent, *(f"{number}_{parent}" for number in range(most))]
    if stem != parent:
        found += [f"{stem}-{number}" for number in range(most)]
    return tuple(one for one in found if one != base)
