"""Stage ``query``: what a complaint names, and what is searched for it."""

from citegrain.tasks.online.query.stage import (
    INTENTS,
    STAGE,
    QueryConfig,
    intents_of,
    make_queries,
)
