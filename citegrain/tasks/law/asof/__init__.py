"""The day whose law applies: the one that is asked for, or that of the incident in a complaint."""

from citegrain.tasks.law.asof.day import (
    AUTO,
    REQUEST,
    TODAY,
    AsOf,
    Incident,
    find_incident,
    is_procedural,
    resolve,
    saved_line,
)
from citegrain.tasks.law.asof.moments import find_moments, without_times
