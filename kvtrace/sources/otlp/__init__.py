"""Receives OTLP: events from log records and span events, over gRPC and HTTP."""
