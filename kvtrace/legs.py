"""What routers said of the legs they sent: the last of each request, in bounded room."""

from collections.abc import Iterable

from kvtrace.transfer import Told

MOST_REQUESTS = 4_096
"""The one that was not spoken of for longest gives way."""

MOST_OF_A_REQUEST = 16


class Legs:
    """Sent and answered legs, by the router's own id of the request."""

    def __init__(self) -> None:
        self._told: dict[str, list[Told]] = {}

    def __bool__(self) -> bool:
        """Whether any router ever spoke."""
        return bool(self._told)

    def hear(self, told: Told) -> None:
        """Take in that a leg was sent, or answered."""
        request = told.event.request
        known = self._told.pop(request, [])
        self._told[request] = known
        if len(known) < MOST_OF_A_REQUEST:
            known.append(told)
        if len(self._told) > MOST_REQUESTS:
            del self._told[next(iter(self._told))]

    def of(self, requests: Iterable[str]) -> tuple[Told, ...]:
        """What was said of a request that goes by any of these ids."""
        return tuple(told for request in requests for told in self._told.get(request, ()))
