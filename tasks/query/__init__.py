"""Stage ``query``: what a complaint names, and what is searched for it."""

from tasks.query.config import QueryConfig
from tasks.query.glossary import Glossary, GlossaryError
from tasks.query.lexicon import Lexicon
from tasks.query.mentions import Mention, find_mentions
from tasks.query.stage import STAGE, make_queries

__all__ = [
    "STAGE",
    "Glossary",
    "GlossaryError",
    "Lexicon",
    "Mention",
    "QueryConfig",
    "find_mentions",
    "make_queries",
]
