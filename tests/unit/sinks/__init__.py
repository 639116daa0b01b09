"""Edges out."""
