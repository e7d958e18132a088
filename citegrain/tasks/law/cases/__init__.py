"""Judgments: how courts and reports print and cite them."""

from citegrain.tasks.law.cases.benches import AUTHOR
from citegrain.tasks.law.cases.front import FRONT_ROWS, OPENING, Front, may_be_judgment, read_front
from citegrain.tasks.law.cases.judges import read_name, same_judge
from citegrain.tasks.law.cases.parties import name_key, short_name
from citegrain.tasks.law.cases.precedents import Precedent, Precedents
from citegrain.tasks.law.cases.reporters import find_citations
from citegrain.tasks.law.cases.statutes import Statutes
