"""What is usual on each link: the shares of the transfers that finished on it lately."""

from collections import deque

import msgspec

from kvtrace.model import Link
from kvtrace.split import Part, Shares

KEPT = 200
"""Transfers of a link."""

MOST_LINKS = 4_096
"""The one that was not used for longest gives way."""

ENOUGH = 20
"""Transfers from which something is usual."""


class Usual(msgspec.Struct, frozen=True):
    """How it goes on a link as a rule, in nanoseconds."""

    count: int
    handoff: int
    """The median."""

    nine_in_ten: int
    """What nine in ten handoffs stay below."""

    parts: dict[Part, int]
    """The median of each part."""


class History:
    """The last transfers of every link."""

    def __init__(self) -> None:
        self._links: dict[Link, _Course] = {}

    def add(self, link: Link, shares: Shares) -> None:
        """Take in one more that finished."""
        course = self._links.pop(link, None) or _Course()
        self._links[link] = course
        course.add(shares)
        if len(self._links) > MOST_LINKS:
            del self._links[next(iter(self._links))]

    def usual(self, link: Link) -> Usual | None:
        """What is usual there; None where too few finished."""
        course = self._links.get(link)
        return None if course is None else course.usual()


class _Course:
    """One link's."""

    def __init__(self) -> None:
        self._shares: deque[Shares] = deque(maxlen=KEPT)
        self._fresh = 0
        self._usual: Usual | None = None

    def add(self, shares: Shares) -> None:
        self._shares.append(shares)
        self._fresh += 1

    def usual(self) -> Usual | None:
        """Worked out anew after every half of those kept, since to sort them all takes time."""
        if self._fresh >= (ENOUGH if self._usual is None else KEPT // 2):
            self._fresh = 0
            handoffs = sorted(one.handoff for one in self._shares)
            self._usual = Usual(
                count=len(handoffs),
                handoff=handoffs[len(handoffs) // 2],
                nine_in_ten=handoffs[len(handoffs) * 9 // 10],
                parts={part: _middle([one.of(part) for one in self._shares]) for part in Part},
            )
        return self._usual


def _middle(numbers: list[int]) -> int:
    return sorted(numbers)[len(numbers) // 2]
