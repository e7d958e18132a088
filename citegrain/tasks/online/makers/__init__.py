"""Makers of the core's steps: a module a room, with a function ``steps``; the chain finds them by name."""
