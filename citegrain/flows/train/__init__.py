"""Training what learns."""
