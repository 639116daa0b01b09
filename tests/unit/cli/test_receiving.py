"""The receiver that the command line asks for."""

from pathlib import Path

import pytest

from kvtrace.cli.listening import Asked
from kvtrace.cli.receiving import setup_of, warnings
from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.receiver import Setup


def test_by_default_only_this_host_reaches_it() -> None:
    setup = setup_of(Asked(), environ={})
    assert (str(setup.grpc), str(setup.http)) == ("127.0.0.1:4317", "127.0.0.1:4318")
    assert list(warnings(setup)) == []


def test_http_follows_the_host_of_grpc_and_can_be_off() -> None:
    assert str(setup_of(Asked(listen=":14317"), environ={}).http) == "0.0.0.0:4318"
    assert setup_of(Asked(http="off"), environ={}).http is None
    assert str(setup_of(Asked(http="[::1]:1"), environ={}).http) == "[::1]:1"


def test_beyond_loopback_it_warns_of_what_is_open_and_what_can_be_read() -> None:
    open_wide = Setup(grpc=Address("0.0.0.0", 4317), http=None)
    first, second = warnings(open_wide)
    assert "whoever reaches 0.0.0.0:4317 can send" in first
    assert "can be read on the way" in second
    closed = Access(token="t", certificate=Path("c"), key=Path("k"))
    assert list(warnings(Setup(grpc=Address("::", 1), http=None, access=closed))) == []
    (only,) = warnings(Setup(grpc=Address("::", 1), http=None, access=Access(token="t")))
    assert "use TLS" in only


def test_the_token_comes_from_the_environment_where_no_file_is_named() -> None:
    assert setup_of(Asked(), environ={"KVTRACE_TOKEN": "t"}).access.token == "t"


def test_headers_to_pass_on_come_from_the_options_or_from_opentelemetrys_variable() -> None:
    environ = {"OTEL_EXPORTER_OTLP_HEADERS": "a=1%202,%20B=x"}
    asked = Asked(forward="tempo:4317")
    target = setup_of(asked, environ=environ).target
    assert target is not None
    assert target.headers == (("a", "1 2"), ("b", "x"))
    asked = Asked(forward="tempo:4317", forward_headers=("Authorization=Bearer t=",))
    target = setup_of(asked, environ=environ).target
    assert target is not None
    assert target.headers == (("authorization", "Bearer t="),)


@pytest.mark.parametrize(
    "asked",
    [
        Asked(forward_headers=("a=1",)),
        Asked(forward="tempo:4317", forward_headers=("nothing",)),
        Asked(forward="tempo:4317", forward_headers=("a b=1",)),
        Asked(forward="tempo:4317", forward_headers=("a=1\n2",)),
        Asked(listen="a:b"),
        Asked(tls_cert=Path("/nonexistent")),
    ],
)
def test_what_cannot_be_is_told(asked: Asked) -> None:
    with pytest.raises(ReceiverError):
        setup_of(asked, environ={})
