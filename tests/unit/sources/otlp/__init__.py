"""Tests of the OTLP receiver's parts."""
