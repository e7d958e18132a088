"""Stage ``parse``: PDF bytes to ``documents``, ``pages`` and ``lines``."""

from citegrain.tasks.offline.parse.config import ParseConfig
from citegrain.tasks.offline.parse.stage import STAGE, parameters, parse_pdf

__all__ = ["STAGE", "ParseConfig", "parameters", "parse_pdf"]
