"""PyMuPDF is loaded without what nothing here asks."""

import subprocess
import sys

LOADED = """
import sys
from citegrain.tasks.core.mupdf import pymupdf
assert not {"onnxruntime", "pymupdf4llm"} & set(sys.modules), "loaded"
assert pymupdf.open().new_page().get_text() == ""
import pymupdf4llm  # who wants it still gets it
"""


def test_no_neural_model_is_loaded_with_it() -> None:
    subprocess.run([sys.executable, "-c", LOADED], check=True, timeout=60)
