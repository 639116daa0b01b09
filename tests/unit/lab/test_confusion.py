"""The page of what was named."""

import msgspec
from lab.confusion import page
from lab.result import Result
from lab.scenario import chosen

from kvtrace.causes import Cause

(DROPPED,) = chosen(("decode-dropped",))
RIGHT = Result(
    name="decode-dropped",
    cause=DROPPED.cause,
    named={},
    seconds=1,
    final=(DROPPED.cause,),
    passed=True,
)


def test_what_was_named_right_is_plain_and_what_was_not_is_bold() -> None:
    wrong = msgspec.structs.replace(RIGHT, final=(Cause.UNEXPLAINED,), passed=False)
    text = page([DROPPED], [RIGHT, RIGHT, wrong])
    assert "registration-never-came (2), **unexplained (1)** | 3 |" in text
    assert "2 of 3 runs named right; 0 could not be played." in text


def test_a_healthy_one_is_named_nothing() -> None:
    (healthy,) = chosen(("healthy-load",))
    result = Result(name="healthy-load", cause=None, named={}, seconds=1, passed=True)
    assert "| nothing | nothing (1) | 1 |" in page([healthy], [result])
