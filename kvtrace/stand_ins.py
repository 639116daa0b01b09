"""Requests that vLLM makes in the place of those it turned away or whose client left.

The consumer's server submits one, aborted from the start, so that its connector lets go of what was
held for the other. It has the server's own id, without what engines append to make ids theirs, and
one token of prompt. No KV moves for it.
"""

from kvtrace.events import RequestAdmitted, RequestFinished
from kvtrace.identity import is_servers_own
from kvtrace.keeping import keep
from kvtrace.lifecycle import told
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.pairing import Key
from kvtrace.transfer import Told

_MOST = 1_000
"""That are remembered, so that nothing else told of them is taken for a transfer."""


class StandIns:
    """Those that were heard of lately."""

    def __init__(self) -> None:
        self._known: dict[Key, str] = {}
        self.ended: dict[str, Told] = {}
        """Their ends, by what the producer was said to call the request they stand for."""

    def hear(self, key: Key, record: Record, seen: int) -> bool:
        """Whether this tells of a stand-in; `seen` is when we learned of it."""
        event = record.event
        known = self._known.get(key)
        if known is None and type(event) is not RequestAdmitted:
            return False
        if known is not None:
            if isinstance(event, RequestFinished):
                keep(self.ended, known, told(record, Role.CONSUMER, seen), _MOST)
            return True
        if not isinstance(event, RequestAdmitted):
            return False
        found = event.tokens == 1 and is_servers_own(event.request)
        if found:
            keep(self._known, key, event.remote_request, _MOST)
        return found
