"""Arrow schemas of the tables of ``compare``.

A number that could not be computed is NaN, not null: the row then stands for a comparison that was
declared and could not be made.
"""

from __future__ import annotations

import pyarrow as pa

from tasks.schemas import TableSchema, _column

_S, _I, _F = pa.string(), pa.int32(), pa.float64()

_CELL = [
    _column("metric", _S, "the metric"),
    _column("value", _F, "mean over the queries; of a proportion the share of ones"),
    _column("lo", _F, "lower bound of the 95% interval: Wilson of a proportion, BCa of a mean"),
    _column("hi", _F, "upper bound of the 95% interval"),
    _column("n", _I, "queries that have a value of the metric", "queries"),
]

SUMMARY = TableSchema("summary", 1, pa.schema([_column("configuration", _S, "the configuration"), *_CELL]))

BREAKDOWN = TableSchema(
    "breakdown",
    1,
    pa.schema(
        [
            _column("configuration", _S, "the configuration"),
            _column("dimension", _S, "what the queries are grouped by"),
            _column("group", _S, "the group; a query may lie in several"),
            *_CELL,
        ]
    ),
)

COMPARISONS = TableSchema(
    "comparisons",
    1,
    pa.schema(
        [
            _column("baseline", _S, "the configuration compared with"),
            _column("configuration", _S, "the configuration"),
            _column("metric", _S, "the metric"),
            _column("difference", _F, "mean over queries of configuration minus baseline"),
            _column("lo", _F, "lower bound of the 95% interval of the difference"),
            _column("hi", _F, "upper bound of the 95% interval of the difference"),
            _column("n", _I, "queries that have a value under both", "queries"),
            _column("wins", _I, "queries whose value is greater than the baseline's", "queries"),
            _column("losses", _I, "queries whose value is less than the baseline's", "queries"),
            _column("p", _F, "two-sided: exact McNemar of proportions, sign flips of means"),
            _column("p_holm", _F, "p adjusted by Holm over the rows of this table"),
            _column("mde", _F, "least true difference that n queries detect with 80% power at .05"),
        ]
    ),
)
