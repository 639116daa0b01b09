"""The events that are seen: what fits the filter, the newest last, worked out as they come."""

from kvtrace.filters import ALL, Filter
from kvtrace.readings import Heard
from kvtrace.snapshot import Snapshot
from kvtrace.tui.subjects import of_heard


class EventList:
    """Looks at each event once, unless the filter asks for its age."""

    def __init__(self) -> None:
        self.filter: Filter = ALL
        self.items: list[Heard] = []
        self._upto = 0

    def seek(self, wanted: Filter) -> None:
        """See what fits, from now on and of what is kept."""
        self.filter, self.items, self._upto = wanted, [], 0

    def take(self, snapshot: Snapshot) -> None:
        """Take in what was heard since, and drop what is no longer kept."""
        tail = snapshot.tail
        if not tail or tail[-1].number < self._upto or "age" in self.filter.text:
            self.items, self._upto = [], 0
        if not tail:
            return
        fresh = tail[max(self._upto - tail[0].number + 1, 0) :] if self._upto else tail
        names, now = snapshot.names, snapshot.at
        if self.filter.tests:
            fits = self.filter.fits
            fresh = tuple(heard for heard in fresh if fits(of_heard(heard, names, now)))
        oldest = tail[0].number
        if self.items and self.items[0].number < oldest:
            self.items = [heard for heard in self.items if heard.number >= oldest]
        self.items += fresh
        self._upto = tail[-1].number

    def index(self, number: int) -> int:
        """Where that event is, or the first after it."""
        low, high = 0, len(self.items)
        while low < high:
            middle = (low + high) // 2
            if self.items[middle].number < number:
                low = middle + 1
            else:
                high = middle
        return min(low, max(len(self.items) - 1, 0))
