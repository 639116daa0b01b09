"""What every event has."""

from typing import ClassVar

import msgspec

from kvtrace.model import Role


class Event(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What every event has."""

    role: ClassVar[Role | None] = None
    """Whose half it belongs to; None where either side, or a whole process, can say it."""

    scheduler: ClassVar[bool] = False
    """Whether it happens in the engine's scheduler rather than in one of its ranks."""

    opens: ClassVar[bool] = False
    """Whether it is the first that its process hears of a half, so that the ledger opens one."""

    request: str = ""
    """The engine-local request id; empty where this engine does not know it (yet)."""
