"""Which spans were handed over."""

from kvtrace.agent.handed import MOST, Handed, Known


def test_each_is_known_by_its_id_whatever_the_order() -> None:
    handed = Handed(Known())
    handed.hand([("late", "p", 9), ("early", "p", 2)])
    assert handed.known.has("early", "p", 2)
    assert handed.known.has("late", "p", 9)
    assert not handed.known.has("between", "p", 5)


def test_those_of_long_ago_are_known_by_the_event_behind_them() -> None:
    handed = Handed(Known())
    handed.hand((f"{number}", "p", number) for number in range(1, MOST + 11))
    assert len(handed.known.ids["p"]) == MOST
    assert handed.known.has("any", "p", 10)
    assert not handed.known.has("any", "p", 11)
    assert not handed.known.has("any", "q", 1)


def test_what_was_known_before_makes_room_first() -> None:
    handed = Handed(Known(ids={"p": {"old": 5}}))
    handed.hand((f"{number}", "q", number) for number in range(1, MOST + 1))
    assert handed.known.before == {"p": 5}
    assert handed.known.has("old", "p", 5)


def test_time_alone_never_hides_what_comes_later() -> None:
    handed = Handed(Known())
    handed.hand((f"{number}", "", 0) for number in range(MOST + 10))
    assert not handed.known.has("another stall", "", 1)


def test_only_the_batch_on_its_way_is_in_doubt() -> None:
    handed = Handed(Known())
    handed.hand([("1", "p", 1)])
    handed.hand([("2", "p", 2), ("3", "p", 3)])
    assert handed.known.open == ["2", "3"]
    handed.answered()
    assert handed.known.open == []


def test_processes_that_are_gone_are_forgotten() -> None:
    handed = Handed(Known(before={"p": 3, "q": 4}))
    handed.hand([("1", "p", 7), ("2", "q", 8), ("3", "", 0)])
    handed.keep(["q"])
    assert handed.known.before == {"q": 4}
    assert set(handed.known.ids) == {"q", ""}
    handed.hand((f"more {number}", "q", 9) for number in range(MOST))
    assert len(handed.known.ids["q"]) == MOST
