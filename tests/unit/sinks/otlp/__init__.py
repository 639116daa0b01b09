"""Tests of what goes out as OTLP."""
