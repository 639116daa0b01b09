"""Places where nothing could ever arrive are refused before anything is sent."""

from pathlib import Path

import pytest

from kvtrace.destination import GRPC, HTTP, Destination
from kvtrace.sinks.otlp.checks import check


def to(endpoint: str, protocol: str = GRPC) -> Destination:
    return Destination(signal="logs", protocol=protocol, endpoint=endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://",
        "http://:4317",
        "http://c:99999",
        "http://c:0",
        "http://a b:1",
        "http://[::1",
        "http://x..y",
    ],
)
@pytest.mark.parametrize("protocol", [GRPC, HTTP])
def test_an_endpoint_that_can_be_nowhere_is_refused(endpoint: str, protocol: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check(to(endpoint, protocol), {})


@pytest.mark.parametrize("endpoint", ["://", "[", ":"])
def test_an_endpoint_without_a_letter_names_no_host(endpoint: str) -> None:
    with pytest.raises(ValueError, match="no host"):
        check(to(endpoint), {})


@pytest.mark.parametrize(
    "endpoint", ["c:4317", "[::1]:1", "https://c", "https://c:1/v1", "dns:///c", "unix:/a"]
)
def test_what_grpc_can_reach_is_left_to_it(endpoint: str) -> None:
    check(to(endpoint), {})


@pytest.mark.parametrize(
    "endpoint", ["nope", "http://nope", "x:1:2", "x:y", "ftp://x:4317", "x/v1"]
)
def test_what_is_no_place_for_grpc_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ort|http://"):
        check(to(endpoint), {})


@pytest.mark.parametrize("endpoint", ["c", "c:4318", "ftp://c", "grpc://c"])
def test_http_asks_for_a_whole_url(endpoint: str) -> None:
    with pytest.raises(ValueError, match="http://"):
        check(to(endpoint, HTTP), {})
    check(to(f"http://{endpoint.rpartition('/')[2]}", HTTP), {})


@pytest.mark.parametrize(
    "name", ["CERTIFICATE", "CLIENT_KEY", "LOGS_CLIENT_CERTIFICATE", "LOGS_CERTIFICATE"]
)
def test_a_file_for_tls_that_is_not_there_is_told(name: str, tmp_path: Path) -> None:
    environ = {f"OTEL_EXPORTER_OTLP_{name}": str(tmp_path / "missing")}
    with pytest.raises(FileNotFoundError):
        check(to("https://c:1"), environ)
    (tmp_path / "missing").touch()
    check(to("https://c:1"), environ)
    check(to("https://c:1"), {"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE": "/nowhere"})
