import click
import pytest

from kvtrace.cli.web import address


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("8080", ("127.0.0.1", 8080)),
        (":8080", ("127.0.0.1", 8080)),
        ("localhost:0", ("localhost", 0)),
        ("0.0.0.0:80", ("0.0.0.0", 80)),
        ("[::1]:8080", ("::1", 8080)),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(text: str, meant: tuple[str, int]) -> None:
    assert address(text) == meant


@pytest.mark.parametrize("text", ["", "x", "localhost", "127.0.0.1:", ":65536", ":-1", ":²"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no address"):
        address(text)
