"""The words: one frozen record for each thing that can happen, by who says it."""
