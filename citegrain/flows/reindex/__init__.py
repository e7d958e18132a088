"""Bringing a published corpus up to date behind a gate."""
