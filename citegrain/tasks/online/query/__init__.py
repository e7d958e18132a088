"""Stage ``query``: what a complaint names, and what is searched for it."""

from citegrain.tasks.online.query.stage import (
    BY_MODEL,
    BY_RULES,
    INTENTS,
    STAGE,
    QueryConfig,
    intents_of,
    make_queries,
)
