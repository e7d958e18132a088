"""What moved between two versions of an Act: a table, and a report of it for people."""

from citegrain.tasks.law.amend.compare import AMENDING, KINDS, PRINTING, amendments
from citegrain.tasks.law.amend.report import LABELS, Comparison, numbered, to_html, to_markdown
