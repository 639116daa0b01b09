"""Names the cause of a transfer's trouble: rules, each a function of what is known."""
