"""What became of scenarios that were played."""

import msgspec

from kvtrace.causes import Cause


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one scenario."""

    name: str
    cause: Cause | None
    named: dict[str, list[Cause]]
    """By request: every cause that was named for it, in order; empty id for engines."""
    seconds: float
    error: str = ""
    """Why it could not be played; empty where it was."""

    final: tuple[Cause | None, ...] = ()
    """What was named last for each request that counts."""
    passed: bool = False
