"""Hook around the thread of the scheduler half that answers handshakes."""

from typing import Any

from kvtrace.events import ListenerDied, ListenerStarted
from kvtrace_connector.fuse import Bracket, Hook, Outcome
from kvtrace_connector.plain import number, reason, text
from kvtrace_connector.scheduler import SchedulerHalf


def listening(half: SchedulerHalf, _: Any, *args: Any) -> Bracket:
    """Hook of _nixl_handshake_listener, which returns when the engine stops."""
    host, port = args[-2:]
    half.record(ListenerStarted(host=text(host), port=number(port)))
    yield (outcome := Outcome())
    if outcome.error is not None:
        half.record(ListenerDied(host=text(host), port=number(port), error=reason(outcome.error)))


HOOKS: dict[str, Hook] = {"_nixl_handshake_listener": listening}
"""What the host's listener tells us."""
