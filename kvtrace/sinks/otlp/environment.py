"""What OpenTelemetry's environment variables say of whose signals are sent."""

from opentelemetry.sdk.resources import Resource

from kvtrace.signals.values import Value


def told_attributes() -> dict[str, Value]:
    """Attributes of every resource: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, and the SDK's.

    Without a name of its own, since each resource has a better one than OpenTelemetry's default.
    """
    found: dict[str, Value] = {
        name: value
        for name, value in Resource.create().attributes.items()
        if isinstance(value, str | bool | int | float)
    }
    if str(found.get("service.name", "")).startswith("unknown_service"):
        del found["service.name"]
    return found
