from kvtrace.snapshot import Snapshot
from kvtrace.tui.listing import Listing, Sort, arrange
from tests.tui import samples
from tests.tui.samples import MS, NEVER, START, S, Script

SLOW = Script(name="slow", ready=NEVER, began=START - 3 * S)
QUICK = Script(name="quick", began=START - 400 * MS)
WAITED = Sort()


def at(after: int, *scripts: Script) -> Snapshot:
    return samples.snapshot(scripts, START + after)


def keys(listing: Listing) -> list[str]:
    return [item.key for item in listing.items]


def test_the_worst_comes_first_and_what_ended_comes_last() -> None:
    ended = Script(name="ended", began=START - 9 * S)
    listing = arrange(at(0, QUICK, SLOW, ended), Listing(), WAITED, 10)
    assert keys(listing) == ["slow", "quick", "", "ended"]


def test_what_finishes_stays_a_second_in_its_place_and_then_leaves() -> None:
    last = Script(name="last", ready=NEVER, began=START - 100 * MS)
    listing = arrange(at(0, SLOW, QUICK, last), Listing(), WAITED, 10)
    assert keys(listing) == ["slow", "quick", "last"]
    listing = arrange(at(500 * MS, SLOW, QUICK, last), listing, WAITED, 10)
    assert keys(listing) == ["slow", "quick", "last"]
    assert listing.items[1].done is not None
    listing = arrange(at(1100 * MS, SLOW, QUICK, last), listing, WAITED, 10)
    assert keys(listing) == ["slow", "last", "quick"]
    listing = arrange(at(2200 * MS, SLOW, QUICK, last), listing, WAITED, 10)
    assert keys(listing) == ["slow", "last", "", "quick"]


def test_order_is_made_anew_once_a_second_and_new_ones_come_last_until_then() -> None:
    new = Script(name="new", ready=NEVER, began=START + 100 * MS)
    old = Script(name="old", ready=NEVER, began=START - 99 * S)
    listing = arrange(at(0, SLOW, QUICK), Listing(), WAITED, 10)
    listing = arrange(at(200 * MS, SLOW, old, new), listing, WAITED, 10)
    assert keys(listing) == ["slow", "old", "new"]
    listing = arrange(at(1200 * MS, SLOW, old, new), listing, WAITED, 10)
    assert keys(listing) == ["old", "slow", "new"]


def test_another_sort_is_seen_at_once() -> None:
    listing = arrange(at(0, SLOW, QUICK), Listing(), WAITED, 10)
    listing = arrange(at(1, SLOW, QUICK), listing, Sort("transfer"), 10)
    assert keys(listing) == ["quick", "slow"]
    listing = arrange(at(2, SLOW, QUICK), listing, Sort("transfer", reverse=True), 10)
    assert keys(listing) == ["slow", "quick"]


def test_what_ended_lately_is_shown_only_where_there_is_room() -> None:
    ended = [Script(name=f"e{n}", began=START - 9 * S + n) for n in range(9)]
    assert len(arrange(at(0, SLOW, *ended), Listing(), WAITED, 5).items) == 5
    assert keys(arrange(at(0, SLOW, *ended), Listing(), WAITED, 2)) == ["slow"]


def test_a_replay_that_jumps_back_gets_a_new_order() -> None:
    listing = arrange(at(10 * S, SLOW), Listing(), WAITED, 10)
    assert arrange(at(0, SLOW, QUICK), listing, WAITED, 10).made_at == START


def test_another_room_for_the_same_transfers_changes_only_what_ended_lately() -> None:
    ended = [Script(name=f"e{n}", began=START - 9 * S + n) for n in range(9)]
    shown = at(0, SLOW, *ended)
    wide, narrow = (arrange(shown, Listing(), WAITED, room) for room in (8, 5))
    assert arrange(shown, wide, WAITED, 5) == narrow
    assert arrange(shown, narrow, WAITED, 8) == wide
    assert arrange(shown, wide, WAITED, 8) is wide
