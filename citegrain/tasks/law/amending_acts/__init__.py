"""Amending Acts: their instructions, which of them a text does not show yet, and the text that they make."""

from citegrain.tasks.law.amending_acts.consolidate import Consolidated, Text, consolidated
from citegrain.tasks.law.amending_acts.pending import (
    Pending,
    PendingAmendments,
    ReviewError,
    amended,
    reviewed,
    to_csv,
)
from citegrain.tasks.law.amending_acts.rows import APPLIED, REVIEWED, instruction_rows
