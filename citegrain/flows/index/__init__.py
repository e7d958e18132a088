"""Indexing a corpus."""
