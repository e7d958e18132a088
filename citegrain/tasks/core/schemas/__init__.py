"""Arrow schemas of every table that crosses a stage boundary.

One constant a table. Each column carries its description and unit in the Arrow
field metadata, so a Parquet file explains itself. Raise ``version`` when the
meaning of a table changes: readers refuse what is newer than they are.
"""

from citegrain.tasks.core.schemas.amendments import AMENDMENTS
from citegrain.tasks.core.schemas.base import SchemaError, TableSchema, column
from citegrain.tasks.core.schemas.build import (
    BACKGROUND,
    CLASSIFICATION,
    EXPANSION,
    REPORTS,
    SOURCES,
    TRANSLATIONS,
    VERDICTS,
)
from citegrain.tasks.core.schemas.graph import EDGES, NODES
from citegrain.tasks.core.schemas.judgments import JUDGMENTS, PRECEDENTS
from citegrain.tasks.core.schemas.offline import (
    ACTS,
    CHUNKS,
    DOCUMENTS,
    LINES,
    PAGES,
    PARAGRAPHS,
    PROVISIONS,
    REFERENCES,
    TAGS,
    TEXTS,
    WITHOUT_PAGES,
)
from citegrain.tasks.core.schemas.online import (
    ANSWERS,
    ESTIMATES,
    FEATURES,
    QUERIES,
    REWRITES,
    ROUTES,
    RUNS,
    SCOPE,
    TRACES,
)
from citegrain.tasks.core.schemas.results import (
    BREAKDOWN,
    COMPARISONS,
    EFFECTS,
    FUNNEL,
    MODEL,
    SCORES,
    SUMMARY,
    TIMINGS,
    per_configuration,
)
from citegrain.tasks.core.schemas.summaries import SUMMARIES
from citegrain.tasks.core.schemas.training import LEARNED, LEARNING

ALL = {schema.name: schema for schema in tuple(globals().values()) if isinstance(schema, TableSchema)}
