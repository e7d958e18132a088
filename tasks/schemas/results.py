"""Tables of scores and what is made of them.

A number that could not be computed is NaN, not null: the row then stands for something that was
declared and could not be made.
"""

from __future__ import annotations

import pyarrow as pa

from tasks.schemas.base import TableSchema, column

_S, _I, _B = pa.string(), pa.int32(), pa.bool_()

SCORES = TableSchema(
    "scores",
    1,
    pa.schema(
        [
            column("query_id", _S, "the query"),
            column("metric", _S, "the metric, as tasks.score.METRICS names it"),
            column(
                "value",
                pa.float64(),
                "its value; a query that it does not concern has no row",
            ),
        ]
    ),
)

FUNNEL = TableSchema(
    "funnel",
    1,
    pa.schema(
        [
            column("query_id", _S, "the query"),
            column("act", _S, "Act of a provision that applies"),
            column("section", _S, "its section"),
            column("primary", _B, "whether it is the primary one"),
            column("lost_at", _S, "where it was lost, as tasks.score.LOSSES names it; found if it was not"),
            column("retrieved", _I, "its best rank among provisions in any channel", "ranks", null=True),
            column("fused", _I, "its rank among provisions after fusion", "ranks", null=True),
            column("reranked", _I, "its rank among provisions after reranking", "ranks", null=True),
            column("selected", _I, "its place among the provisions selected", "ranks", null=True),
            column("answered", _I, "its place in the answer", "ranks", null=True),
        ]
    ),
)

_CELL = [
    column("metric", _S, "the metric"),
    column("value", pa.float64(), "mean over the queries; of a proportion the share of ones"),
    column("lo", pa.float64(), "lower bound of the 95% interval: Wilson of a proportion, BCa of a mean"),
    column("hi", pa.float64(), "upper bound of the 95% interval"),
    column("n", _I, "queries that have a value of the metric", "queries"),
]

SUMMARY = TableSchema("summary", 1, pa.schema([column("configuration", _S, "the configuration"), *_CELL]))

BREAKDOWN = TableSchema(
    "breakdown",
    1,
    pa.schema(
        [
            column("configuration", _S, "the configuration"),
            column("dimension", _S, "what the queries are grouped by"),
            column("group", _S, "the group; a query may lie in several"),
            *_CELL,
        ]
    ),
)

COMPARISONS = TableSchema(
    "comparisons",
    1,
    pa.schema(
        [
            column("baseline", _S, "the configuration compared with"),
            column("configuration", _S, "the configuration"),
            column("metric", _S, "the metric"),
            column("difference", pa.float64(), "mean over queries of configuration minus baseline"),
            column("lo", pa.float64(), "lower bound of the 95% interval of the difference"),
            column("hi", pa.float64(), "upper bound of the 95% interval of the difference"),
            column("n", _I, "queries that have a value under both", "queries"),
            column("wins", _I, "queries whose value is greater than the baseline's", "queries"),
            column("losses", _I, "queries whose value is less than the baseline's", "queries"),
            column("p", pa.float64(), "two-sided: exact McNemar of proportions, sign flips of means"),
            column("p_holm", pa.float64(), "p adjusted by Holm over the rows of this table"),
            column("mde", pa.float64(), "least true difference that n queries detect with 80% power at .05"),
        ]
    ),
)

TIMINGS = TableSchema(
    "timings",
    1,
    pa.schema(
        [
            column("configuration", _S, "the configuration"),
            column("step", _S, "the step; single_p50 and single_max are whole queries asked one by one"),
            column("ms", pa.float64(), "wall-clock time a query, of a step in the batch that made it", "ms"),
        ]
    ),
)


def per_configuration(schema: TableSchema) -> TableSchema:
    """The schema of a table for a whole study: its column ``configuration`` first."""
    first = column("configuration", _S, "the configuration")
    return TableSchema(schema.name, schema.version, pa.schema([first, *schema.arrow]))
