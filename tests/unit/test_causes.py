"""Every cause can be named, and has a label that fits its column."""

import pytest

from kvtrace.causes import ABOUT, Cause


@pytest.mark.parametrize("cause", Cause)
def test_each_cause_has_a_label_of_at_most_24_characters(cause: Cause) -> None:
    assert 0 < len(ABOUT[cause].label) <= 24


def test_no_two_causes_share_a_label() -> None:
    labels = [about.label for about in ABOUT.values()]
    assert len(labels) == len(set(labels)) == len(Cause)
