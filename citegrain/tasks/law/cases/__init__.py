"""How judgments are cited."""

from citegrain.tasks.law.cases.reporters import FAMILIES, Citation, find_citations, name_key, short_name
