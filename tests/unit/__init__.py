"""Tests of the toolkit, without engines."""
