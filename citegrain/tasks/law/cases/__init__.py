"""How judgments are cited, and how they cite statutes."""

from citegrain.tasks.law.cases.reporters import FAMILIES, Citation, find_citations, name_key, short_name
from citegrain.tasks.law.cases.statutes import Statutes
