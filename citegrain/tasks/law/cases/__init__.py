"""How cases are cited: the parties, the judges and the reports in their names."""

from citegrain.tasks.law.cases.judges import merged, read_name, same_judge, signed_names, split_names
from citegrain.tasks.law.cases.parties import DOCKET, case_name, cause_title, name_key, party, short_name
from citegrain.tasks.law.cases.reporters import FAMILIES, Citation, find_citations
from citegrain.tasks.law.cases.statutes import Statutes
