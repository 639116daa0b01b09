"""The part of kvtrace that runs inside vLLM."""
