"""Real processes and files."""
