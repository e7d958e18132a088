"""Stage ``query``: what a complaint names, and what is searched for it."""

from citegrain.tasks.online.query.stage import (
    ASKED,
    BY_MODEL,
    BY_RULES,
    STAGE,
    QueryConfig,
    asked,
    make_queries,
)
