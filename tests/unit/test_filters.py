"""What one types, and what is seen then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.filters import ALL, Filter, Problem, Subject, complete, parse

SECOND = 1_000_000_000
ONE = Subject(
    ids=("cmpl-71cfd8c2", "cmpl-71cfd8c2-aaaaaaaa"),
    producer=("P1", "prefill-1"),
    consumer=("D3", "decode-3"),
    phase="write",
    outcome="stalled",
    age=134 * SECOND,
    waited=60 * SECOND,
    size=38_200_000,
)
EVENT = Subject(producer=("P1",), event="write posted", told="descriptors 4", rank=1)


def fits(text: str, subject: Subject = ONE) -> bool:
    found = parse(text)
    assert isinstance(found, Filter), found
    return found.fits(subject)


@pytest.mark.parametrize(
    "text",
    [
        *("", "71cf", "CMPL-71", "aaaa", "P1", "d3", "prefill-1", "P1>D3", "link:P1>D3"),
        *("link:P1>", ">D3", "engine:P1", "engine:decode-3", "phase:write", "phase:w"),
        *("phase:wri", "age>30s", "age>2m", "age<1h", "age>120", "waited<61.5s", "size>10MB"),
        *("size<1gb", "!", "outcome:stalled", "outcome:waiting", "-phase:readiness", "-D4"),
        *("phase:write age>5s link:P1>D3 71cf", "id:71cf"),
    ],
)
def test_it_is_seen(text: str) -> None:
    assert fits(text)


@pytest.mark.parametrize(
    "text",
    [
        *("72cf", "P2", "D1>P1", "P1>D4", "D3>P1", "phase:readiness", "age<30s", "age>3m"),
        *(
            "size>1GB",
            "-!",
            "outcome:failed",
            "-71cf",
            "phase:write age<5s",
            "id:P1",
            "rank:1",
        ),
    ],
)
def test_it_is_hidden(text: str) -> None:
    assert not fits(text)


def test_events_are_found_by_name_rank_and_attributes() -> None:
    assert fits("event:write.posted", EVENT)
    assert fits("posted", EVENT)
    assert fits("rank:1 descriptors", EVENT)
    assert not fits("event:finished", EVENT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age>old", "age wants a time, like 30s or 2m"),
        ("age>", "age wants a time, like 30s or 2m"),
        ("size>5s", "size wants a size, like 10MB or 1GB"),
        ("phase:foo", "phase wants registration, readiness, write or completion"),
        ("phase:re", "phase wants registration, readiness, write or completion"),
        ("outcome:", "outcome wants finished, failed, abandoned, waiting or stalled"),
        ("link:P1", "link wants two engines, like link:P1>D3"),
        ("rank:x", "rank wants a number, like rank:1"),
        (
            "colour:red",
            "there is no colour: to filter by; there are phase, cause, outcome, engine, link, ",
        ),
    ],
)
def test_what_cannot_be_understood_is_said_plainly(text: str, said: str) -> None:
    found = parse(text)
    assert isinstance(found, Problem)
    assert found.said.startswith(said)


def test_an_address_is_text() -> None:
    assert isinstance(parse("http://x"), Filter)
    assert isinstance(parse("10.0.0.1:5600"), Filter)


@given(st.text(max_size=60))
def test_no_text_is_too_much_for_it(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Filter | Problem)
    if isinstance(found, Filter):
        assert found.fits(ONE) in (True, False)
    assert isinstance(complete(text, ("P1", "D3")), tuple)


WORDS = ["71cf", "P1", "P1>D3", "phase:write", "age>30s", "!", "size<1GB", "outcome:failed", "x"]


@given(st.lists(st.sampled_from(WORDS)))
def test_all_words_must_hold_and_a_minus_turns_one_around(words: list[str]) -> None:
    assert fits(" ".join(words)) == all(fits(word) for word in words)
    for word in words:
        assert fits(f"-{word}") != fits(word)


def test_the_last_word_is_completed() -> None:
    assert complete("ph") == ("phase:",)
    assert complete("phase:w") == ("phase:write",)
    assert complete("age>5s -out") == ("age>5s -outcome:",)
    assert complete("link:P1>D", ("P1", "D3", "D4")) == ("link:P1>D3", "link:P1>D4")
    assert complete("a") == ("age>",)
    assert complete("D", ("P1", "D3")) == ("D3",)
    assert complete("", ("P1",)) == ()
    assert complete("phase:write ") == ()


@given(st.text(alphabet="abdeghiklnoprstuw:>-PD13 ", max_size=12))
def test_a_completion_begins_with_what_was_typed(text: str) -> None:
    for longer in complete(text, ("P1", "D3")):
        assert longer.lower().startswith(text.lower())


def test_nothing_typed_hides_nothing() -> None:
    assert parse("   ") == Filter("", ())
    assert ALL.fits(Subject())
