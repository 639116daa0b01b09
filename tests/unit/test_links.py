"""What a link is held against is itself."""

from kvtrace.links import ENOUGH, MOST_LINKS, MOST_PATHS, Links, Write
from kvtrace.model import Link
from kvtrace.readings import LinkLine
from tests.unit.snapshots import row

SECOND, MS = 1_000_000_000, 1_000_000
LINK = Link("P0", "D0")
NOW = 10_000 * SECOND


def write(
    gigabytes: float = 10.0, size: int = 38_000_000, ranks: tuple[int, int] = (0, 0)
) -> Write:
    return Write(*ranks, size, int(size / gigabytes))


def line(links: Links, now: int = NOW) -> LinkLine:
    (found,) = links.lines((), now)
    return found


def busy(rate: float = 10.0, count: int = ENOUGH) -> Links:
    links = Links()
    for number in range(count):
        links.wrote(LINK, write(rate), NOW - (count - number) * SECOND)
    return links


def near(rate: int | None, gigabytes: float) -> bool:
    return rate is not None and abs(rate / 1e9 - gigabytes) < gigabytes / 16


def test_a_link_that_always_did_three_is_well_at_three() -> None:
    found = line(busy(3.0))
    assert near(found.rate, 3)
    assert near(found.best, 3)
    assert found.share is not None
    assert found.share >= 95
    assert not found.slow


def test_a_link_far_below_its_own_best_is_slow() -> None:
    links = busy(10.0, 200)
    for _ in range(ENOUGH):
        links.wrote(LINK, write(0.4), NOW)
    found = line(links)
    assert near(found.rate, 0.4)
    assert found.share is not None
    assert found.share <= 5
    assert found.slow


def test_a_link_is_not_slow_by_what_a_late_look_can_explain() -> None:
    links = busy(10.0, 200)
    for _ in range(ENOUGH):
        links.wrote(LINK, write(1.0), NOW)
    found = line(links)
    assert found.share is not None
    assert found.share <= 12
    assert not found.slow


def test_small_writes_are_not_held_against_large_ones() -> None:
    links = busy(10.0, 100)
    for _ in range(2 * ENOUGH):
        links.wrote(LINK, write(0.1, size=262_144), NOW)
    assert not line(links).slow


def test_few_writes_make_no_best() -> None:
    found = line(busy(count=ENOUGH - 1))
    assert near(found.rate, 10)
    assert (found.best, found.share, found.slow) == (None, None, False)


def test_a_rate_of_long_ago_is_none() -> None:
    found = line(busy(), NOW + 301 * SECOND)
    assert (found.rate, found.share) == (None, None)
    assert found.moved == ENOUGH * 38_000_000


def test_a_best_of_more_than_an_hour_ago_is_forgotten() -> None:
    links = busy(10.0, 100)
    later = NOW + 3_700 * SECOND
    for _ in range(ENOUGH):
        links.wrote(LINK, write(1.0), later)
    assert near(line(links, later).best, 1)


def test_a_write_that_tells_no_time_is_counted_and_has_no_rate() -> None:
    links = Links()
    links.wrote(LINK, Write(0, 0, 1_000, 0), NOW)
    found = line(links)
    assert (found.writes, found.moved, found.rate) == (1, 1_000, None)


def test_ranks_are_told_apart() -> None:
    links = Links()
    links.wrote(LINK, write(10, ranks=(0, 0)), NOW)
    links.wrote(LINK, write(2, ranks=(1, 1)), NOW)
    links.failed(LINK, (1, 1))
    first, second = line(links).paths
    assert near(first.rate, 10)
    assert near(second.rate, 2)
    assert (first.failed, second.failed, line(links).failed) == (0, 1, 1)


def test_history_has_the_newest_last_and_no_writes_are_no_number() -> None:
    history = line(busy()).history
    assert len(history) == 30
    assert history[0] == -1
    assert near(max(history[-2:]), 10)


def test_what_is_in_flight_comes_from_the_rows() -> None:
    rows = (row(waited=SECOND, stalled=True), row(waited=2 * SECOND))
    (found,) = Links().lines(rows, NOW)
    assert (found.link, found.in_flight, found.stalled) == (rows[0].link, 2, 1)
    assert found.oldest == 2 * SECOND


def test_links_and_ranks_are_bounded() -> None:
    links = Links()
    for number in range(MOST_LINKS + 10):
        links.wrote(Link("P", f"D{number}"), write(), NOW)
    found = links.lines((), NOW)
    assert len(found) == MOST_LINKS
    assert found[-1].link.consumer == f"D{MOST_LINKS + 9}"
    for number in range(MOST_PATHS + 10):
        links.wrote(LINK, write(ranks=(number, 0)), NOW)
    assert len(links.lines((), NOW)[-1].paths) == MOST_PATHS
