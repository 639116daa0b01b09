"""Requests that vLLM makes in the place of those it turned away or whose client left.

The consumer's server submits one, aborted from the start, so that its connector lets go of what was
held for the other. It has the server's own id, without what engines append to make ids theirs, and
one token of prompt. No KV moves for it.
"""

from kvtrace.events import RequestAdmitted
from kvtrace.identity import is_servers_own
from kvtrace.moments import Record
from kvtrace.pairing import Key

_MOST = 1_000
"""That are remembered, so that nothing else told of them is taken for a transfer."""


class StandIns:
    """Those that were heard of lately."""

    def __init__(self) -> None:
        self._known: dict[Key, None] = {}

    def hear(self, key: Key, record: Record) -> bool:
        """Whether this tells of a stand-in."""
        if key in self._known:
            return True
        event = record.event
        if not isinstance(event, RequestAdmitted):
            return False
        if event.tokens != 1 or not is_servers_own(event.request):
            return False
        if len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[key] = None
        return True
