"""Amending Acts: their instructions, which of them a text does not show yet, and the text that they make."""

from citegrain.tasks.law.amending.consolidate import Consolidated, Text, consolidated
from citegrain.tasks.law.amending.pending import Pending, PendingAmendments
from citegrain.tasks.law.amending.review import ReviewError, amended, reviewed, to_csv
from citegrain.tasks.law.amending.rows import APPLIED, REVIEWED, instruction_rows
