"""Optical character recognition by Tesseract, where it is installed."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from citegrain.tasks.offline.pages import Segment
from citegrain.tasks.offline.parse.layout import read_segments

if TYPE_CHECKING:
    import pymupdf


@functools.cache
def tesseract_version() -> str | None:
    """First line of ``tesseract --version``; None where Tesseract or its English data is missing."""
    program = shutil.which("tesseract")
    if program is None or _tessdata() is None:
        return None
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else "tesseract"


@functools.cache
def _tessdata() -> str | None:
    from citegrain.tasks.core.mupdf import pymupdf  # as in document

    try:
        return str(pymupdf.get_tessdata()) or None
    except (RuntimeError, OSError, ValueError):
        return None


def ocr_page(page: pymupdf.Page, dpi: int) -> list[Segment]:
    """Text of a page read by OCR as segments; empty where Tesseract is not installed.

    Raises nothing: a page on which OCR fails is reported as an image without text.
    """
    if tesseract_version() is None:
        return []
    try:
        with _silence():
            textpage = page.get_textpage_ocr(language="eng", dpi=dpi, full=True, tessdata=_tessdata())
    except RuntimeError:
        return []
    return read_segments(textpage)


@contextmanager
def _silence() -> Iterator[None]:
    """Keeps what Tesseract says of specks and rules ("Image too small to scale!!") off standard error."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
