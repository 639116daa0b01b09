"""What is promised, and shown to hold."""
