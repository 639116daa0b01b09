"""The page of all events is made from the vocabulary, and is current."""

from kvtrace.wire import KINDS
from tools.signals import PAGE, page


def test_the_page_of_signals_is_current() -> None:
    assert PAGE.read_text() == page(), "run: python tools/signals.py"


def test_every_event_is_on_the_page() -> None:
    for name in KINDS:
        assert f"#### `{name}`" in page()
