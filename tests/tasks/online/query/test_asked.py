"""What a complaint asks for."""

from __future__ import annotations

import pytest

from citegrain.tasks.online.query import asked


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Can I file an FIR against him?", ["punishment", "right"]),
        ("How do I get my money back?", ["remedy", "procedure"]),
        ("He affirmed it.", []),
    ],
)
def test_words_say_what_is_asked(text: str, names: list[str]) -> None:
    assert asked(text) == names
