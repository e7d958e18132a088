"""Parameters of ``parse``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ParseConfig:
    """What decides the result of parsing.

    Attributes
    ----------
    ocr
        ``auto`` reads image-only pages by Tesseract where it is installed; ``off`` never does.
    ocr_dpi
        Resolution at which pages are drawn for OCR, dots per inch.
    max_pages
        A PDF with more pages is refused.
    max_glyphs
        A page with more glyphs is passed over as unreadable.
    """

    ocr: str = "auto"
    ocr_dpi: int = 300
    max_pages: int = 10_000
    max_glyphs: int = 100_000

    def __post_init__(self) -> None:
        if self.ocr not in ("auto", "off"):
            raise ValueError(f"parse.ocr={self.ocr}: auto or off")
        for name in ("ocr_dpi", "max_pages", "max_glyphs"):
            if getattr(self, name) < 1:
                raise ValueError(f"parse.{name} must be positive")
