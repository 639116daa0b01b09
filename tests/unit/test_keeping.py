"""What is remembered is bounded."""

from kvtrace.keeping import keep


def test_beyond_the_limit_what_was_told_of_longest_ago_is_forgotten() -> None:
    known: dict[str, int] = {}
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        keep(known, key, value, 2)
    assert known == {"a": 3, "c": 4}


def test_what_is_known_already_makes_nothing_give_way() -> None:
    known = {"a": 1, "b": 2}
    keep(known, "a", 3, 2)
    assert known == {"a": 3, "b": 2}
