"""What addresses mean, and what is wrong with one."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.address import Address, address, check_free


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("127.0.0.1:4317", "127.0.0.1:4317"),
        (":4317", "0.0.0.0:4317"),
        ("14317", "127.0.0.1:14317"),
        ("0.0.0.0", "0.0.0.0:7"),
        ("localhost:0", "localhost:0"),
        ("[::1]:4317", "[::1]:4317"),
        ("[::]", "[::]:7"),
        ("::1", "[::1]:7"),
        ("collector.example:1", "collector.example:1"),
        ("", "127.0.0.1:7"),
    ],
)
def test_an_address_is_a_host_a_port_or_both(text: str, meant: str) -> None:
    assert str(address(text, 7)) == meant


@pytest.mark.parametrize("text", ["a:b", "a:70000", "[::1", "a b:1", "x@y:1", "1:2:3:z", ":٣"])
def test_what_is_no_address_is_told_with_an_example(text: str) -> None:
    with pytest.raises(ReceiverError, match=r"write 127\.0\.0\.1:4317"):
        address(text, 7)


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        found = address(text, 7)
    except ReceiverError:
        return
    assert address(str(found), 7) == found


def test_loopback_is_known() -> None:
    hosts = ("127.0.0.1", "127.9.9.9", "::1", "localhost")
    assert all(Address(host, 1).is_loopback for host in hosts)
    assert not any(Address(host, 1).is_loopback for host in ("0.0.0.0", "::", "10.0.0.1", "name"))


def test_a_port_that_is_taken_is_named_with_what_to_do() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ReceiverError, match=f"port {port} of 127.0.0.1 is taken"):
            check_free(Address("127.0.0.1", port))
    check_free(Address("127.0.0.1", port))
    check_free(Address("127.0.0.1", 0))


def test_an_address_of_another_host_is_told() -> None:
    with pytest.raises(ReceiverError, match="name an address of this host"):
        check_free(Address("192.0.2.1", 4317))
