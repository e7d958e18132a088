"""Arrow schemas of every table that crosses a stage boundary.

One constant a table. Each column carries its description and unit in the Arrow
field metadata, so a Parquet file explains itself. Raise ``version`` when the
meaning of a table changes: readers refuse what is newer than they are.
"""

from citegrain.tasks.core.schemas.base import SchemaError, TableSchema, column
from citegrain.tasks.core.schemas.build import (
    AMENDMENTS,
    BACKGROUND,
    CLASSIFICATION,
    COUNTERPARTS,
    COVERAGE,
    EDGES,
    EXPANSION,
    INSTRUCTIONS,
    LEFT_OUT,
    NODES,
    REPORTS,
    SOURCES,
    TRANSLATIONS,
    UNCLAIMED,
    VERDICTS,
)
from citegrain.tasks.core.schemas.offline import (
    ACTS,
    CHUNKS,
    DOCUMENTS,
    JUDGMENTS,
    LINES,
    PAGES,
    PARAGRAPHS,
    PRECEDENTS,
    PROVISIONS,
    REFERENCES,
    SUMMARIES,
    TAGS,
    TEXTS,
    WITHOUT_PAGES,
)
from citegrain.tasks.core.schemas.online import (
    ANSWERS,
    BREAKDOWN,
    COMPARISONS,
    EFFECTS,
    ESTIMATES,
    FEATURES,
    FUNNEL,
    JUDGEMENTS,
    LEARNED,
    LEARNING,
    MODEL,
    QUERIES,
    REWRITES,
    ROUTES,
    RUNS,
    SCOPE,
    SCORES,
    SHARES,
    SUMMARY,
    TIMINGS,
    TRACES,
    per_configuration,
)

ALL = {schema.name: schema for schema in tuple(globals().values()) if isinstance(schema, TableSchema)}
