"""What grows with the corpus: Acts at size, and what they cost."""
