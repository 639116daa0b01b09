"""Edges out: each sink writes moments or snapshots somewhere."""
