"""Log records and spans to an endpoint that speaks OTLP."""
