"""Edges in: each source turns what it reads into moments."""
