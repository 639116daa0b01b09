"""Who may ask the server of the screen for anything."""

import pytest

from kvtrace.tui.browser import is_loopback, may_ask


@pytest.mark.parametrize(
    ("bound", "host", "origin", "may"),
    [
        ("127.0.0.1", "127.0.0.1:8000", None, True),
        ("127.0.0.1", "localhost:8000", "http://localhost:8000", True),
        ("::1", "[::1]:8000", "http://[::1]:8000", True),
        ("127.0.0.1", "127.0.0.1:8000", "http://elsewhere.example", False),
        ("127.0.0.1", "127.0.0.1:8000", "null", False),
        ("127.0.0.1", "rebound.example:8000", "http://rebound.example:8000", False),
        ("0.0.0.0", "host.example:8000", "http://host.example:8000", True),
        ("0.0.0.0", "host.example:8000", "http://elsewhere.example", False),
    ],
)
def test_only_pages_of_our_own_may_ask(
    bound: str, host: str, origin: str | None, may: bool
) -> None:
    assert may_ask(bound, host, origin) is may


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])
def test_loopback_is_known_by_name_and_number(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.example", ""])
def test_anything_else_is_not(host: str) -> None:
    assert not is_loopback(host)
