"""Tables of scores and what is made of them.

A number that could not be computed is NaN, not null: the row then stands for something that was
declared and could not be made.
"""

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column, table

_S, _I, _B = pa.string(), pa.int32(), pa.bool_()

SCORES = table(
    "scores",
    1,
    column("query_id", _S, "the query"),
    column("metric", _S, "the metric, as citegrain.tasks.evaluation.score.METRICS names it"),
    column("value", pa.float64(), "its value; a query that it does not concern has no row"),
)

FUNNEL = table(
    "funnel",
    1,
    column("query_id", _S, "the query"),
    column("act", _S, "Act of a provision that applies"),
    column("section", _S, "its section"),
    column("primary", _B, "whether it is the primary one"),
    column(
        "lost_at",
        _S,
        "where it was lost, as citegrain.tasks.evaluation.score.LOSSES names it; found if it was not",
    ),
    column("retrieved", _I, "its best rank among provisions in any channel", "ranks", null=True),
    column("fused", _I, "its rank among provisions after fusion", "ranks", null=True),
    column("reranked", _I, "its rank among provisions after reranking", "ranks", null=True),
    column("selected", _I, "its place among the provisions selected", "ranks", null=True),
    column("answered", _I, "its place in the answer", "ranks", null=True),
)

_CELL = [
    column("metric", _S, "the metric"),
    column("value", pa.float64(), "mean over the queries; of a proportion the share of ones"),
    column("lo", pa.float64(), "lower bound of the 95% interval: Wilson of a proportion, BCa of a mean"),
    column("hi", pa.float64(), "upper bound of the 95% interval"),
    column("n", _I, "queries that have a value of the metric", "queries"),
]

SUMMARY = TableSchema("summary", 1, pa.schema([column("configuration", _S, "the configuration"), *_CELL]))

BREAKDOWN = table(
    "breakdown",
    1,
    column("configuration", _S, "the configuration"),
    column("dimension", _S, "what the queries are grouped by"),
    column("group", _S, "the group; a query may lie in several"),
    *_CELL,
)

COMPARISONS = table(
    "comparisons",
    1,
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
)

EFFECTS = table(
    "effects",
    1,
    column("kind", _S, "main: of one factor; interaction: of two"),
    column("contrast", _S, "the effect, written out"),
    column("factor", _S, "the factor"),
    column("level", _S, "its level"),
    column("against", _S, "the level that it is compared with"),
    column("by_factor", _S, "of an interaction the other factor", null=True),
    column("by_level", _S, "of an interaction the other factor's level", null=True),
    column("by_against", _S, "of an interaction the level that it is compared with", null=True),
    column("metric", _S, "the metric"),
    column("dimension", _S, "what the queries are grouped by; all: they are not"),
    column("group", _S, "the group of queries; all: every query"),
    column("confirmatory", _B, "whether the effect was declared before the study ran"),
    column(
        "effect",
        pa.float64(),
        "mean over queries of what the level does more than the other, averaged over matched cells; "
        "of an interaction the difference of two such effects",
    ),
    column("lo", pa.float64(), "lower bound of its 95% BCa interval over queries"),
    column("hi", pa.float64(), "upper bound of its 95% BCa interval over queries"),
    column("n", _I, "queries that have a value in every cell that the effect rests on", "queries"),
    column("matched", _I, "matched pairs (fours) of cells; in a fraction cells", "cells"),
    column("wins", _I, "queries whose own effect is above 0", "queries"),
    column("losses", _I, "queries whose own effect is below 0", "queries"),
    column("p", pa.float64(), "two-sided, of sign flips over queries"),
    column("p_holm", pa.float64(), "p adjusted by Holm over the confirmatory rows; NaN of others"),
    column("mde", pa.float64(), "least true effect that n queries detect with 80% power at .05"),
)

MODEL = table(
    "model",
    1,
    column("metric", _S, "the metric"),
    column("contrast", _S, "the main effect, written out as in effects"),
    column("family", _S, "binomial: a logistic GEE; gaussian: a linear one"),
    column("estimate", pa.float64(), "the coefficient: log odds ratio, or difference of means"),
    column("lo", pa.float64(), "lower bound of its 95% interval, by the robust covariance"),
    column("hi", pa.float64(), "upper bound of its 95% interval"),
    column("p", pa.float64(), "two-sided Wald test"),
    column("difference", pa.float64(), "what it makes of the metric, averaged over the cells"),
    column("n", _I, "queries, which are the clusters", "queries"),
    column("cells", _I, "cells that were fitted", "cells"),
)

TIMINGS = table(
    "timings",
    2,
    column("configuration", _S, "the configuration"),
    column(
        "step",
        _S,
        "the step; single_p50, _p95 and _max are whole queries asked one by one, in a factorial "
        "study the sum of their steps asked so",
    ),
    column("ms", pa.float64(), "wall-clock time a query, of a step in the batch that made it", "ms"),
    column("tokens_in", pa.float64(), "tokens a query of the step's prompts to a model", "tokens", null=True),
    column("tokens_out", pa.float64(), "tokens a query of its replies", "tokens", null=True),
    column("cost", pa.float64(), "their price a query", "currency of endpoint.price_in", null=True),
)


SHARES = table(
    "shares",
    1,
    column("configuration", _S, "the configuration"),
    column("group", _S, "category of the queries; all: every query"),
    column("channel", _S, "the channel"),
    column("share", pa.float64(), "what it adds to the fused scores of the first ten, in shares of each"),
    column("n", _I, "queries", "queries"),
)


def per_configuration(schema: TableSchema) -> TableSchema:
    """The schema of a table for a whole study: its column ``configuration`` first."""
    first = column("configuration", _S, "the configuration")
    return TableSchema(schema.name, schema.version, pa.schema([first, *schema.arrow]))
