"""Errors whose message says what is wrong: they are shown in one line, without a traceback."""

from __future__ import annotations


class Expected(Exception):
    """Something is not as it should be in what a user gave or a machine has; the message says what to do."""


class UsageFault(Expected):
    """The user's way of asking is wrong, whatever is asked."""
