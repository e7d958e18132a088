"""What moved between two versions of an Act: a table, and a report of it for people."""

from citegrain.tasks.law.editions_compared.compare import AMENDING, KINDS, PRINTING, amendments
from citegrain.tasks.law.editions_compared.report import LABELS, Comparison, numbered, to_html, to_markdown
