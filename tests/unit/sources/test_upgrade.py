"""Earlier recordings, brought to the present form."""

from kvtrace.recording import VERSION
from kvtrace.sources.upgrade import STEPS, readable, upgraded


def test_there_is_a_step_from_each_earlier_version() -> None:
    assert len(STEPS) == VERSION - 1


def test_a_line_of_the_present_version_is_left_as_it_is() -> None:
    assert upgraded(b"[]", VERSION) == b"[]"


def test_a_newer_version_cannot_be_read() -> None:
    assert readable(VERSION)
    assert not readable(VERSION + 1)
    assert not readable(0)
