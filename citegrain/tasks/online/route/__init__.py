"""Stage ``route``: of which type a question is, and what is searched otherwise for such a one."""

from citegrain.tasks.online.route.config import TYPES, Route, RouteConfig
from citegrain.tasks.online.route.stage import STAGE, make_routes
