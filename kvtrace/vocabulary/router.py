"""What the router says, if it speaks."""

from kvtrace.vocabulary.event import Event


class LegSent(Event, frozen=True, kw_only=True, tag="leg.sent"):
    """The router sent one leg of a request."""

    role_sent: str = ""
    """P or D."""
    url: str = ""
    engine: str = ""
    """The producer that the consumer was told of."""


class LegAnswered(Event, frozen=True, kw_only=True, tag="leg.answered"):
    """The router heard the end of one leg."""

    role_sent: str = ""
    status: int = 0
    error: str = ""
