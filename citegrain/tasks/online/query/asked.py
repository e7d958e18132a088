"""What a complaint asks for, by its words."""

from __future__ import annotations

import re

ASKED = {
    "punishment": r"punish|section|jail|case (?:file|against)|\bfir\b|complaint",
    "remedy": r"compensation|refund|recover|maintenance|alimony|custody|share|claim|money back",
    "procedure": r"how (?:to|can|do|long)|process|procedure|which court|bail|quash|appeal|notice",
    "right": r"\bcan (?:i|we|he|she|they)\b|right|entitled|legal|valid",
}
"""Patterns of the words, whatever their case; rough: a text may ask for several of them, or for none."""


def asked(text: str) -> list[str]:
    """What of :data:`ASKED` a text asks for."""
    return [name for name, pattern in ASKED.items() if re.search(pattern, text, re.IGNORECASE)]
