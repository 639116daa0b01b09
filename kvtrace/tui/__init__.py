"""The terminal screens, over an iterator of snapshots."""
