"""Sends what the black boxes of one directory tell to an endpoint that speaks OTLP."""
