"""Where signals go, as OpenTelemetry's environment variables say."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from kvtrace.errors import ExportError

Signal: TypeAlias = Literal["logs", "traces"]
SIGNALS: tuple[Signal, ...] = ("logs", "traces")

GRPC = "grpc"
HTTP = "http/protobuf"

NOWHERE = (
    "nothing says where to send: set OTEL_EXPORTER_OTLP_ENDPOINT, or name a place with --endpoint"
)
DISABLED = "OTEL_SDK_DISABLED is true, so nothing is sent"


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where one signal goes."""

    signal: Signal
    protocol: str
    """`grpc` or `http/protobuf`."""

    endpoint: str
    url: str | None = None
    """The same in full where it was named by hand; None where the exporter reads it by itself."""


def destinations(environ: Mapping[str, str], endpoint: str = "") -> tuple[Destination, ...]:
    """Where each signal goes that goes anywhere; `endpoint` wins over the environment.

    A signal that is switched off, or has no endpoint, is left out. Raises ExportError where a
    protocol is asked for that we do not speak.
    """
    if disabled(environ):
        return ()
    found = (_destination(signal, environ, endpoint) for signal in SIGNALS)
    return tuple(destination for destination in found if destination is not None)


def disabled(environ: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry is switched off as a whole."""
    return environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def _destination(signal: Signal, environ: Mapping[str, str], endpoint: str) -> Destination | None:
    if environ.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip().lower() == "none":
        return None
    where = endpoint or _said(environ, signal, "ENDPOINT")
    if not where:
        return None
    protocol = _said(environ, signal, "PROTOCOL") or GRPC
    if protocol not in (GRPC, HTTP):
        raise ExportError(
            f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol!r}: kvtrace speaks {GRPC} and {HTTP}"
        )
    url = None
    if endpoint:
        url = endpoint if protocol == GRPC else f"{endpoint.rstrip('/')}/v1/{signal}"
    return Destination(signal=signal, protocol=protocol, endpoint=where, url=url)


def _said(environ: Mapping[str, str], signal: Signal, what: str) -> str:
    """The variable of that signal, or else the one for all."""
    own = environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_{what}", "").strip()
    return own or environ.get(f"OTEL_EXPORTER_OTLP_{what}", "").strip()
