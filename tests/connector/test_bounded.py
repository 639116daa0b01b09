from kvtrace_connector.bounded import Bounded


def test_the_oldest_entry_makes_room() -> None:
    few: Bounded[str, int] = Bounded(2)
    for number, key in enumerate("abc"):
        few[key] = number
    assert few == {"b": 1, "c": 2}


def test_a_known_key_takes_no_room() -> None:
    few: Bounded[str, int] = Bounded(2)
    for number, key in enumerate("abab"):
        few[key] = number
    assert few == {"a": 2, "b": 3}
