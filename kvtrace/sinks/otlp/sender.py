"""Opens the way to where a signal goes."""

import logging
from typing import Protocol

from opentelemetry.exporter.otlp.proto.grpc.exporter import InvalidCompressionValueException

from kvtrace.destination import GRPC, Destination
from kvtrace.errors import ExportError
from kvtrace.sinks.otlp.answer import Answer
from kvtrace.sinks.otlp.by_grpc import GrpcSender
from kvtrace.sinks.otlp.by_http import HttpSender
from kvtrace.sinks.otlp.checks import check


class Sender(Protocol):
    """One signal's way to its endpoint."""

    def send(self, message: bytes, limit: float) -> Answer: ...
    def close(self) -> None: ...


def open_sender(destination: Destination) -> Sender:
    """The way there; nothing is sent yet.

    Raises ExportError where the environment's settings for it make no sense.
    """
    # We say once what is wrong; the exporters would say it at every attempt.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    way = GrpcSender if destination.protocol == GRPC else HttpSender
    try:
        check(destination)
        return way(destination)
    except (ValueError, RuntimeError, OSError, InvalidCompressionValueException) as error:
        raise ExportError(
            f"{destination.signal} cannot be sent to {destination.endpoint}: {error}; "
            "mend the OTEL_EXPORTER_OTLP_ variables, or --endpoint"
        ) from error
