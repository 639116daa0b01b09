"""Edges in."""
