"""OTLP's JSON form to its protobuf, and answers to JSON."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from google.protobuf import json_format
from google.protobuf.message import Error, Message
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from kvtrace.errors import WireError
from kvtrace.sources.otlp.decode import Signal

REQUESTS: dict[Signal, type[Message]] = {
    Signal.LOGS: ExportLogsServiceRequest,
    Signal.TRACES: ExportTraceServiceRequest,
    Signal.METRICS: ExportMetricsServiceRequest,
}
RESPONSES: dict[Signal, type[Message]] = {
    Signal.LOGS: ExportLogsServiceResponse,
    Signal.TRACES: ExportTraceServiceResponse,
    Signal.METRICS: ExportMetricsServiceResponse,
}

IDS = ("traceId", "spanId", "parentSpanId")
"""Hex here, where every other field of bytes is base64."""

HOLDERS = (
    "resourceLogs",
    "scopeLogs",
    "logRecords",
    "resourceSpans",
    "scopeSpans",
    "spans",
    "links",
    "resourceMetrics",
    "scopeMetrics",
    "metrics",
    "gauge",
    "sum",
    "histogram",
    "exponentialHistogram",
    "dataPoints",
    "exemplars",
)
"""What may have something with such ids below it."""

Json: TypeAlias = dict[str, Any]


def protobuf_of(signal: Signal, body: bytes) -> bytes:
    """The same request as protobuf; raises WireError where it is none."""
    try:
        whole = msgspec.json.decode(body)
        if not isinstance(whole, dict):
            raise WireError("not a request in OTLP's JSON: it is no object")
        for holder in _with_ids(whole):
            for name in IDS:
                if isinstance(holder.get(name), str):
                    holder[name] = _recoded(holder[name])
        message = REQUESTS[signal]()
        json_format.ParseDict(whole, message, ignore_unknown_fields=True)
        return bytes(message.SerializeToString())
    except (
        msgspec.DecodeError,
        json_format.Error,
        Error,
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise WireError(f"not a request in OTLP's JSON: {error}") from error


def json_answer(signal: Signal, answer: bytes) -> bytes:
    """The answer to a request, as JSON."""
    message = RESPONSES[signal]()
    message.ParseFromString(answer)
    return _json(message)


def json_status(status: bytes) -> bytes:
    """Why a request was refused, as JSON."""
    return _json(Status.FromString(status))


def _json(message: Message) -> bytes:
    return str(json_format.MessageToJson(message, indent=None)).encode()


def _with_ids(whole: Json) -> Iterator[Json]:
    waiting: list[Any] = [whole]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            yield one
            waiting += [one[name] for name in HOLDERS if name in one]


def _recoded(hexadecimal: str) -> str:
    if hexadecimal.endswith("="):
        # Whoever dumped a message as protobuf's own JSON wrote base64 already.
        return hexadecimal
    try:
        return base64.b64encode(bytes.fromhex(hexadecimal)).decode()
    except (ValueError, binascii.Error) as error:
        raise WireError(f"an id is not hexadecimal: {hexadecimal[:40]!r}") from error
