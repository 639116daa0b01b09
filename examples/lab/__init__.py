"""Real vLLM engines on one machine without a GPU, a push router, and traffic for both."""
