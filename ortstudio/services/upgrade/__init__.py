"""Old `.ort` → the current format, verified: what a file is, what would happen, and doing it."""
