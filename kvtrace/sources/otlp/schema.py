"""OTLP's messages as far as we look into them, with all that lies deeper left as bytes.

The same bytes as OpenTelemetry's own messages, parsed level by level: records are counted before
they unfold, nesting costs nothing, and what a hostile request unfolds to stays a small multiple.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

Field = descriptor_pb2.FieldDescriptorProto
PACKAGE = "kvtrace.received"

LOG = (("time", 1, Field.TYPE_FIXED64), ("body", 5, Field.TYPE_BYTES))
NAMED = (("name", 12, Field.TYPE_BYTES), ("observed", 11, Field.TYPE_FIXED64))

ONE = {
    "Part": (("resource", 1, Field.TYPE_BYTES),),
    "Resource": (),
    "Scope": (),
    "Log": (*LOG, *NAMED),
    "Span": (("name", 5, Field.TYPE_BYTES),),
    "SpanEvent": (("time", 1, Field.TYPE_FIXED64), ("name", 2, Field.TYPE_BYTES)),
    "Request": (),
}
"""The fields that stand at most once, by message."""

MANY = {
    "Request": ("parts", 1),
    "Part": ("scopes", 2),
    "Scope": ("records", 2),
    "Resource": ("attributes", 1),
    "Log": ("attributes", 6),
    "Span": ("events", 11),
    "SpanEvent": ("attributes", 3),
}
"""The one field of each message that may stand many times; its elements stay bytes."""

AT_ONCE = {"Logs": "Log", "Spans": "Span"}
"""A scope again, its records parsed with it, which is half the work of parsing one by one."""


def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="kvtrace_received.proto", package=PACKAGE, syntax="proto2"
    )
    for name, single in ONE.items():
        message = file.message_type.add(name=name)
        for field, number, kind in single:
            message.field.add(name=field, number=number, type=kind, label=Field.LABEL_OPTIONAL)
        field, number = MANY[name]
        message.field.add(
            name=field, number=number, type=Field.TYPE_BYTES, label=Field.LABEL_REPEATED
        )
    for name, inner in AT_ONCE.items():
        field, number = MANY["Scope"]
        file.message_type.add(name=name).field.add(
            name=field,
            number=number,
            type=Field.TYPE_MESSAGE,
            type_name=f".{PACKAGE}.{inner}",
            label=Field.LABEL_REPEATED,
        )
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in (*ONE, *AT_ONCE)
    }


_made = _classes()

request_of = _made["Request"].FromString
"""The parts of an export request: one for each resource."""

part_of = _made["Part"].FromString
"""A resource, and the scopes under it."""

scope_of = _made["Scope"].FromString
"""The log records, spans or metrics of one scope, as bytes to be counted."""

logs_of = _made["Logs"].FromString
spans_of = _made["Spans"].FromString
"""The same as messages, once they are known not to be too many."""

resource_of = _made["Resource"].FromString
span_event_of = _made["SpanEvent"].FromString

__all__ = [
    "DecodeError",
    "logs_of",
    "part_of",
    "request_of",
    "resource_of",
    "scope_of",
    "span_event_of",
    "spans_of",
]
