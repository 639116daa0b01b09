"""Events as OpenTelemetry log records, and the spans that follow from them; pure."""
