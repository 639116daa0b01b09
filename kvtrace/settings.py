"""The environment variables that kvtrace reads, each told once, for the page that lists them."""

import msgspec


class Variable(msgspec.Struct, frozen=True):
    """One environment variable."""

    name: str
    reader: str
    """Who reads it: `engine`, `agent`, `toolkit`, or some of them."""

    default: str
    """What holds when it is not set."""

    what: str
    """What it does, as a sentence."""


VARIABLES = (
    Variable(
        "KVTRACE",
        "engine",
        "off",
        "`1` traces the engines that this environment starts; `0` never traces, whatever the "
        "launch command says.",
    ),
    Variable(
        "KVTRACE_DIR",
        "engine, agent, toolkit",
        "/dev/shm/kvtrace-<uid>",
        "Where the black boxes are.",
    ),
    Variable(
        "KVTRACE_AGENT",
        "engine",
        "1",
        "`0` keeps engines from launching an agent; one by hand, or in a sidecar, still works.",
    ),
    Variable(
        "KVTRACE_SPAN_RATIO",
        "agent",
        "1",
        "The share of transfers, from 0 to 1, whose spans are sent. Both sides agree on which. "
        "Stalled, failed and slow transfers are always sent, and so are all log records.",
    ),
    Variable(
        "KVTRACE_HASH_IDS",
        "agent, toolkit",
        "off",
        "A secret: request ids leave the host only as keyed hashes, which `kvtrace find` computes "
        "for who has the secret.",
    ),
    Variable(
        "KVTRACE_TOKEN",
        "toolkit",
        "none",
        "The bearer token that senders must show to `live --listen` and `collect`.",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "engine, agent",
        "none: nothing is sent",
        "Where the agent sends, as OpenTelemetry defines it; without it engines launch no agent.",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
        "engine, agent",
        "the one above",
        "Where log records go, if elsewhere.",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "engine, agent",
        "the one above",
        "Where spans go, if elsewhere.",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        "agent",
        "grpc",
        "`grpc` or `http/protobuf`; also one for each signal, as OpenTelemetry defines.",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_HEADERS",
        "agent, toolkit",
        "none",
        "Headers of all that is sent, such as `authorization=Bearer%20…`; `--forward` adds "
        "them too, where there is no `--forward-header`.",
    ),
    Variable(
        "OTEL_LOGS_EXPORTER",
        "engine, agent",
        "otlp",
        "`none` sends no log records; `OTEL_TRACES_EXPORTER=none` no spans.",
    ),
    Variable(
        "OTEL_SERVICE_NAME",
        "agent",
        "vllm",
        "What the resource calls the service.",
    ),
    Variable(
        "OTEL_RESOURCE_ATTRIBUTES",
        "agent",
        "none",
        "More attributes of the resource, such as `k8s.pod.name=p-0,cluster=west`.",
    ),
    Variable(
        "OTEL_SDK_DISABLED",
        "engine, agent",
        "false",
        "`true` sends nothing, and launches no agent.",
    ),
)
"""In the order in which one meets them."""
