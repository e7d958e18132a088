"""Which language a question is in."""

from __future__ import annotations

import pytest

from citegrain.tasks.online.gloss import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("my landlord has not returned the deposit", "English"),
        ("मेरे मालिक ने वेतन नहीं दिया", "Hindi"),
        ("मला माझ्या पतीपासून घटस्फोट हवा आहे", "Marathi"),
        ("FIR नहीं लिख रहे", "Hindi"),
        ("mere malik ne teen mahine se salary nahi di", "Hinglish"),
        ("ghutne me dard hota hai konsa tel lagau", "Hinglish"),
        ("machine me majdoor ki ungli kat gai muavja kon dega", "Hinglish"),
        ("is he so bad or do we sue him", "English"),
        ("the nikah was read but talaq was not", "English"),
        ("என் சம்பளம் தரவில்லை", "Tamil"),
        ("আমার বেতন দেয়নি", "Bengali or Assamese"),
        ("我的工资没有发", "English"),
        ("", "English"),
        ("12 34", "English"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language
