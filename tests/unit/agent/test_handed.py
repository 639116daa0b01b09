"""Which spans were handed over."""

from kvtrace.agent.handed import MOST, Handed


def test_each_is_known_by_its_id_whatever_the_order() -> None:
    handed = Handed()
    handed.hand([("late", "p", 9), ("early", "p", 2)])
    assert handed.has("early", "p", 2)
    assert handed.has("late", "p", 9)
    assert not handed.has("between", "p", 5)


def test_those_of_long_ago_are_known_by_the_event_behind_them() -> None:
    handed = Handed()
    handed.hand((f"{number}", "p", number) for number in range(1, MOST + 11))
    assert len(handed.ids) == MOST
    assert handed.has("any", "p", 10)
    assert not handed.has("any", "p", 11)
    assert not handed.has("any", "q", 1)


def test_time_alone_never_hides_what_comes_later() -> None:
    handed = Handed()
    handed.hand((f"{number}", "", 0) for number in range(MOST + 10))
    assert not handed.has("another stall", "", 1)


def test_only_the_batch_on_its_way_is_in_doubt() -> None:
    handed = Handed()
    handed.hand([("1", "p", 1)])
    handed.hand([("2", "p", 2), ("3", "p", 3)])
    assert handed.open == ["2", "3"]
    handed.answered()
    assert handed.open == []


def test_processes_that_are_gone_are_forgotten() -> None:
    handed = Handed(before={"p": 3, "q": 4})
    handed.keep(["q"])
    assert handed.before == {"q": 4}
