"""Stage ``summarise``: what a document, a section and a chunk are about, for search and for the generator."""

from citegrain.tasks.published.summarise.stage import DOCUMENT_STAGE, STAGE, cost, prefixes
from citegrain.tasks.published.summarise.summaries import SummariseConfig
