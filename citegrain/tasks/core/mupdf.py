"""PyMuPDF without the neural layout model and the converter to Markdown, neither of which is asked here.

Version 2 loads both whenever it is imported, which takes half a second in every process. Who imports them by
their names afterwards still gets them.
"""

import sys
from pathlib import Path

_LEFT_OUT = ("pymupdf.layout", "pymupdf4llm")

if "pymupdf" in sys.modules:
    import pymupdf
else:
    barred = [name for name in _LEFT_OUT if name not in sys.modules]
    sys.modules |= dict.fromkeys(barred)  # type: ignore[arg-type]  # their import fails, which is forgiven
    try:
        import pymupdf
    finally:
        for name in barred:
            del sys.modules[name]

FAULTS: tuple[type[Exception], ...] = (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase)
"""What MuPDF raises over a damaged file; its own errors are no RuntimeError, and cannot be pickled."""

__all__ = ["FAULTS", "extracted", "pymupdf"]


def extracted(pdf: Path, first: int, last: int) -> bytes:
    """Pages of a PDF, counted from 1, as a PDF of their own. Raises one of ``FAULTS``."""
    with pymupdf.open(pdf) as document, pymupdf.open() as out:
        out.insert_pdf(document, from_page=first - 1, to_page=last - 1)
        return bytes(out.tobytes(garbage=4, deflate=True))
