"""What engines are called."""

from kvtrace.model import Role
from kvtrace.names import MOST, Names

P = frozenset({Role.PRODUCER})
D = frozenset({Role.CONSUMER})
LONG = "3f0c1a2b-77aa-4c1d-9e20-000000000"


def test_a_short_id_is_a_name() -> None:
    assert Names().of("prefill-0", P) == "prefill-0"


def test_a_long_id_gets_the_letter_of_its_role_and_a_number() -> None:
    names = Names()
    assert [names.of(LONG + n, P) for n in "123"] == ["P0", "P1", "P2"]
    assert names.of(LONG + "4", D) == "D0"
    assert names.of(LONG + "5", P | D) == "PD0"
    assert names.of(LONG + "2", P) == "P1"
    assert names.given[LONG + "3"] == "P2"


def test_a_name_is_not_given_twice() -> None:
    names = Names()
    names.of("P0", P)
    assert names.of(LONG, P) == "P1"


def test_without_a_role_there_is_no_name_yet() -> None:
    names = Names()
    assert names.of(LONG, frozenset()) == "3f0c1a2b-77…"
    assert names.of(LONG, D) == "D0"


def test_no_engine_has_no_name() -> None:
    assert Names().of("", P) == ""
    assert Names().given == {}


def test_names_of_engines_that_are_no_more_are_given_up_when_there_are_too_many() -> None:
    names = Names()
    for number in range(MOST):
        names.of(f"e{number}", P)
    names.keep(["e1"])
    assert len(names.given) == MOST
    names.of("one more", P)
    names.keep(["e1", "one more"])
    assert names.given == {"e1": "e1", "one more": "one more"}
