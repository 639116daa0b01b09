"""Says what is wrong with where a signal is to go, where the exporters would go on in silence."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from kvtrace.destination import HTTP, Destination

_OF_GRPC = ("dns", "unix", "unix-abstract", "vsock", "ipv4", "ipv6", "xds", "grpc", "grpcs")
"""What else gRPC, or OpenTelemetry's exporter for it, understands before a colon."""

_FILES = ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")


def check(destination: Destination, environ: Mapping[str, str] = os.environ) -> None:
    """Raises ValueError where nothing could ever arrive there, OSError where TLS lacks a file."""
    _check_endpoint(destination.url or destination.endpoint, web=destination.protocol == HTTP)
    for name in _FILES:
        own = environ.get(f"OTEL_EXPORTER_OTLP_{destination.signal.upper()}_{name}")
        file = own or environ.get(f"OTEL_EXPORTER_OTLP_{name}")
        if file:
            with Path(file).open("rb"):
                pass


def _check_endpoint(endpoint: str, *, web: bool) -> None:
    parts = urlsplit(endpoint)
    if not web and parts.scheme in _OF_GRPC:
        return
    is_url = parts.scheme in ("http", "https")
    if web and not is_url:
        raise ValueError("it does not begin with http:// or https://")
    if any(sign.isspace() for sign in endpoint):
        raise ValueError("there is a space in it")
    if is_url and (not parts.hostname or parts.port == 0):
        raise ValueError("it names no host, or no port that can be")
    if not any(sign.isalnum() for sign in endpoint):
        raise ValueError("it names no host")
    if not is_url and "://" in endpoint:
        raise ValueError(
            f"{parts.scheme}:// is nothing that OTLP goes by: write http:// or https://"
        )
    if not is_url:
        parts = urlsplit(f"//{endpoint}")
    if not web and parts.port is None and parts.scheme != "https":
        raise ValueError("it names no port: write http://collector:4317")
    try:
        (parts.hostname or "").encode("idna")
    except UnicodeError as error:
        raise ValueError(f"{parts.hostname} can be the name of no host") from error
