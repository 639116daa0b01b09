"""How fast each link writes, against its own best, in bounded room."""

from collections import Counter, deque
from collections.abc import Iterable

import msgspec

from kvtrace.model import Link
from kvtrace.readings import LinkLine, PathLine
from kvtrace.snapshot import Row

MOST_LINKS = 4_096
"""Links that are kept, 64 x 64; the one that was not used for longest gives way."""

MOST_PATHS = 64
"""Pairs of ranks that are kept of a link."""

ENOUGH = 20
"""Writes of a size from which a best is known."""

SLOW = 25
"""Per cent of its best below which a link is slow."""

COSTLY = 80_000_000
"""Nanoseconds that a write must lose against the best, for its link to be slow: what is less can
as well be the time until someone looked."""

_SECOND = 1_000_000_000
_LATELY = 300 * _SECOND
_HALF_HOUR = 1_800 * _SECOND
_PART = 30 * _SECOND
_PARTS = 30
_FINE = 5
"""Bits of a rate that are kept, so that a best is off by less than one in 30."""


class Write(msgspec.Struct, frozen=True):
    """One write that landed."""

    producer_rank: int
    consumer_rank: int
    size: int
    took: int
    """Nanoseconds from post to landing; 0 where not told."""


class Links:
    """All links that anything was written on, or failed on."""

    def __init__(self) -> None:
        self._links: dict[Link, _Course] = {}

    def wrote(self, link: Link, write: Write, at: int) -> None:
        """Take in that a write landed then, in nanoseconds of our clock."""
        self._course(link).take(write, at)

    def failed(self, link: Link, ranks: tuple[int, int] | None = None) -> None:
        """Take in that something did not work between these two; `ranks` where they are known."""
        course = self._course(link)
        course.failed += 1
        if ranks is not None and (path := course.path(ranks)) is not None:
            path.failed += 1

    def lines(self, rows: Iterable[Row], now: int) -> tuple[LinkLine, ...]:
        """A line for each link that has transfers in flight, or ever had writes."""
        loads: dict[Link, list[int]] = {}
        for row in rows:
            load = loads.setdefault(row.link, [0, 0, 0])
            load[0] += 1
            load[1] += row.stalled
            load[2] = max(load[2], row.waited)
        lines = []
        for link in dict.fromkeys((*self._links, *loads)):
            course = self._links.get(link)
            line = LinkLine(link=link) if course is None else course.line(link, now)
            if link in loads:
                count, stalled, oldest = loads[link]
                line = msgspec.structs.replace(
                    line, in_flight=count, stalled=stalled, oldest=oldest
                )
            lines.append(line)
        return tuple(lines)

    def _course(self, link: Link) -> "_Course":
        course = self._links.pop(link, None) or _Course()
        self._links[link] = course
        if len(self._links) > MOST_LINKS:
            del self._links[next(iter(self._links))]
        return course


class _Path:
    """One pair of ranks."""

    def __init__(self) -> None:
        self.writes = self.moved = self.failed = 0
        self.recent: deque[tuple[int, int]] = deque(maxlen=ENOUGH)


class _Course:
    """What one link did."""

    def __init__(self) -> None:
        self.writes = self.moved = self.failed = 0
        self._recent: deque[tuple[int, int, int, int]] = deque(maxlen=ENOUGH)
        self._bests: dict[int, _Best] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self._paths: dict[tuple[int, int], _Path] = {}
        self._drawn: tuple[object, LinkLine] | None = None

    def path(self, ranks: tuple[int, int]) -> _Path | None:
        """What that pair of ranks did; None where there are too many to keep."""
        found = self._paths.get(ranks)
        if found is None and len(self._paths) < MOST_PATHS:
            found = self._paths[ranks] = _Path()
        return found

    def take(self, write: Write, at: int) -> None:
        """One more write."""
        self.writes += 1
        self.moved += write.size
        path = self.path((write.producer_rank, write.consumer_rank))
        if path is not None:
            path.writes += 1
            path.moved += write.size
        if write.took <= 0 or write.size <= 0:
            return
        rate = write.size * _SECOND // write.took
        like = write.size.bit_length() // 2
        self._recent.append((at, like, rate, write.took))
        self._bests.setdefault(like, _Best()).add(rate, at)
        if path is not None:
            path.recent.append((at, rate))
        size, took = self._parts.get(at // _PART, (0, 0))
        self._parts[at // _PART] = size + write.size, took + write.took
        while len(self._parts) > _PARTS:
            del self._parts[min(self._parts)]

    def line(self, link: Link, now: int) -> LinkLine:
        """How it stands; made anew once a second, or when something came."""
        state = self.writes, self.failed, now // _SECOND
        if self._drawn is None or self._drawn[0] != state:
            self._drawn = state, self._line(link, now // _SECOND * _SECOND)
        return self._drawn[1]

    def _line(self, link: Link, now: int) -> LinkLine:
        lately = [one for one in self._recent if now - one[0] < _LATELY]
        bests = {like: self._bests[like].best(now) for _, like, _, _ in lately}
        known = [(rate, best, took) for _, like, rate, took in lately if (best := bests[like])]
        shares = [100 * rate // best for rate, best, _ in known]
        lost = [took - took * rate // best for rate, best, took in known]
        share = min(_middle(shares), 100) if shares else None
        last = now // _PART
        return LinkLine(
            link=link,
            rate=_middle([rate for _, _, rate, _ in lately]) if lately else None,
            best=bests[lately[-1][1]] if lately else None,
            share=share,
            slow=share is not None and share < SLOW and _middle(lost) >= COSTLY,
            writes=self.writes,
            moved=self.moved,
            failed=self.failed,
            history=tuple(self._rate(part) for part in range(last - _PARTS + 1, last + 1)),
            paths=tuple(
                _path_line(ranks, self._paths[ranks], now) for ranks in sorted(self._paths)
            ),
        )

    def _rate(self, part: int) -> int:
        size, took = self._parts.get(part, (0, 0))
        return size * _SECOND // took if took else -1


class _Best:
    """The rates of one size of write, over the last hour."""

    def __init__(self) -> None:
        self._half = 0
        self._now: Counter[int] = Counter()
        self._before: Counter[int] = Counter()

    def add(self, rate: int, at: int) -> None:
        """One more rate."""
        self._turn(at)
        spare = max(0, rate.bit_length() - _FINE)
        self._now[rate >> spare << spare] += 1

    def best(self, now: int) -> int | None:
        """What one write in twenty reaches; None where there were too few."""
        self._turn(now)
        every = self._now + self._before
        left = every.total() // 20
        if every.total() < ENOUGH:
            return None
        for rate in sorted(every, reverse=True):
            left -= every[rate]
            if left < 0:
                return max(rate, 1)
        return None

    def _turn(self, at: int) -> None:
        half = at // _HALF_HOUR
        if half > self._half:
            self._before = self._now if half == self._half + 1 else Counter()
            self._now, self._half = Counter(), half


def _middle(numbers: list[int]) -> int:
    return sorted(numbers)[len(numbers) // 2]


def _path_line(ranks: tuple[int, int], path: _Path, now: int) -> PathLine:
    lately = [rate for at, rate in path.recent if now - at < _LATELY]
    return PathLine(
        producer_rank=ranks[0],
        consumer_rank=ranks[1],
        rate=_middle(lately) if lately else None,
        writes=path.writes,
        moved=path.moved,
        failed=path.failed,
    )
