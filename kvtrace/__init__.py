"""See why a KV transfer between prefill and decode hangs or is slow."""

__version__ = "0.1.0"
