"""Scorers of published systems: a file each, with a function of the same name."""
