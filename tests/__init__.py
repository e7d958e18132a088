"""Tests. Set before NumPy and torch are loaded: processes of pytest-xdist share the cores, one thread each."""

import os

if "PYTEST_XDIST_WORKER" in os.environ:
    for _library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
