"""Builds made by hand: a class with the few members that a test needs."""

from __future__ import annotations

from typing import cast

from citegrain.tasks.online.builds import PublishedBuild


def as_build(fake: object) -> PublishedBuild:
    """A fake where a build is expected; what it lacks fails when it is used."""
    return cast(PublishedBuild, fake)
