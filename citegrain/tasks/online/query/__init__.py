"""Stage ``query``: what a complaint names, and what is searched for it."""

from citegrain.tasks.online.query.asked import ASKED, asked
from citegrain.tasks.online.query.stage import BY_MODEL, BY_RULES, STAGE, QueryConfig, make_queries
