"""Tests of what travels as OpenTelemetry signals."""
