"""Stage ``generate``: selected provisions to an answer of a fixed schema."""

from tasks.generate.config import GenerateConfig
from tasks.generate.llm import Endpoint, EndpointError, reply_rows
from tasks.generate.parser import PASSES, Unparsable, parse_reply
from tasks.generate.schema import AnswerSchema
from tasks.generate.stage import STAGE, Generated, extract, generate

__all__ = [
    "PASSES",
    "STAGE",
    "AnswerSchema",
    "Endpoint",
    "EndpointError",
    "GenerateConfig",
    "Generated",
    "Unparsable",
    "extract",
    "generate",
    "parse_reply",
    "reply_rows",
]
