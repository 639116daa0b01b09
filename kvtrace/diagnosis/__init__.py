"""What a stalled or slow transfer waits for, and since when that is too long."""
