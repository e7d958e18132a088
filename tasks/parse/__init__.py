"""Stage ``parse``: PDF bytes to ``documents``, ``pages`` and ``lines``."""

from tasks.parse.config import ParseConfig
from tasks.parse.stage import STAGE, parameters, parse_pdf

__all__ = ["STAGE", "ParseConfig", "parameters", "parse_pdf"]
