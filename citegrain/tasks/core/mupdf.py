"""PyMuPDF without the neural layout model and the converter to Markdown, neither of which is asked here.

Version 2 loads both whenever it is imported, which takes half a second in every process. Who imports them by
their names afterwards still gets them.
"""

import sys

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

__all__ = ["pymupdf"]
