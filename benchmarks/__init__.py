"""What kvtrace costs, measured side by side with what it is compared to."""
