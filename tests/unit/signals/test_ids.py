"""Trace ids and span ids."""

import pytest

from kvtrace.identity import base_id
from kvtrace.signals.ids import Parent, derived, parent_of, span_id
from tests.unit import samples

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


def test_a_traceparent_says_the_trace_and_the_parent() -> None:
    assert parent_of(f"00-{TRACE}-{SPAN}-01") == Parent(bytes.fromhex(TRACE), bytes.fromhex(SPAN))


def test_a_later_version_may_say_more_at_the_end() -> None:
    assert parent_of(f"01-{TRACE}-{SPAN}-01-more") is not None


@pytest.mark.parametrize(
    "given",
    [
        "",
        "00-ab-cd-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
    ],
)
def test_what_is_no_traceparent_gives_no_parent(given: str) -> None:
    assert parent_of(given) is None


def test_both_engines_derive_the_same_trace() -> None:
    assert derived(base_id(samples.P_REQUEST)) == derived(base_id(samples.D_REQUEST))
    assert len(derived("r1").trace_id) == 16
    assert len(derived("r1").span_id) == 8


def test_a_span_s_id_tells_all_its_parts_apart() -> None:
    assert span_id("P", "r", 1, 2) == span_id("P", "r", 1, 2)
    assert span_id("P", "r", 12, "") != span_id("P", "r", 1, 2)
    assert len(span_id("P")) == 8


def test_an_id_may_hold_any_text() -> None:
    assert derived("\ud800") != derived("")
