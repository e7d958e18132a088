"""The day whose law applies: the one that is asked for, or that of the incident in a complaint."""

from citegrain.tasks.law.asof.day import AUTO, REQUEST, TODAY, AsOf, Incident, find_incident, resolve
from citegrain.tasks.law.asof.moments import find_moments, without_times
from citegrain.tasks.law.asof.rules import is_procedural, saved_line
