"""Why a request is turned away, and what the client is told by gRPC and by HTTP."""

from enum import Enum

from kvtrace.errors import ReceiverError


class Reason(Enum):
    """Each with its gRPC status, its HTTP status, and whether to send the same again later."""

    MALFORMED = "malformed", 3, 400, False
    UNAUTHENTICATED = "unauthenticated", 16, 401, False
    NOT_FOUND = "not_found", 12, 404, False
    METHOD = "method", 12, 405, False
    TOO_LARGE = "too_large", 8, 413, False
    TYPE = "unsupported_type", 3, 415, False
    HEADERS = "headers_too_large", 8, 431, False
    FULL = "full", 8, 429, True
    BUSY = "busy", 8, 429, True
    SLOW = "slow", 4, 408, True
    CUT_OFF = "cut_off", 1, 400, False
    """The client went away, or was told by gRPC itself that its message is too large."""
    STOPPING = "stopping", 14, 503, True
    BACKEND = "backend", 14, 503, True
    """What we pass on to did not take it."""

    def __init__(self, said: str, grpc: int, http: int, again: bool) -> None:
        self.said = said
        self.grpc = grpc
        self.http = http
        self.again = again

    @property
    def loses(self) -> bool:
        """Whether what was refused may be events that we do not get to know."""
        return self not in (Reason.NOT_FOUND, Reason.METHOD)


AGAIN = 1
"""Seconds after which a client may try again."""


class RefusedError(ReceiverError):
    """A request that is turned away; the message is for whoever runs the client."""

    grpc: int
    http: int
    again: bool

    def __init__(self, reason: Reason, said: str) -> None:
        super().__init__(said)
        self.reason = reason
        self.grpc, self.http, self.again = reason.grpc, reason.http, reason.again


AGAIN_LATER = frozenset((1, 4, 10, 11, 14, 15))
"""gRPC statuses after which OTLP's clients send the same again."""

HTTP_OF = {3: 400, 7: 403, 8: 413, 12: 404, 16: 401}
"""The HTTP status for what a backend refuses for good over gRPC; 400 for others."""

GRPC_OF = {400: 3, 401: 16, 403: 7, 404: 12, 413: 8, 415: 3, 429: 14, 431: 8}
"""The gRPC status for a backend's HTTP status; 14 (unavailable) for others."""


class NotTakenError(RefusedError):
    """What the backend said when it did not take what was passed on."""

    def __init__(self, said: str, grpc: int = 14, *, again: bool | None = None) -> None:
        super().__init__(Reason.BACKEND, said)
        self.grpc = grpc
        self.again = grpc in AGAIN_LATER if again is None else again
        self.http = 503 if self.again else HTTP_OF.get(grpc, 400)
