"""Scripts that are no tests: timings, fuzzing, growth, what the docs show. Run as ``python -m tools.NAME``."""
