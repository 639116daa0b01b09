"""Tests on real engines."""
