"""The page of all signals is made from the code, and is current."""

from kvtrace.signals.catalogue import SPANS
from kvtrace.wire import KINDS
from tools.signals import PAGE, page


def test_the_page_of_signals_is_current() -> None:
    assert PAGE.read_text() == page(), "run: python tools/signals.py"


def test_every_event_and_every_span_is_on_the_page() -> None:
    told = page()
    for name in KINDS:
        assert f"#### `{name}`" in told
    for span in SPANS:
        assert f"### `{span.name}`" in told
