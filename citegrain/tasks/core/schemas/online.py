"""Tables of the online stages: complaints to answers, scores, and what is made of these.

A number that could not be computed is NaN, not null: the row then stands for something that was
declared and could not be made.
"""

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column, table

_S, _I, _F, _B, _D = pa.string(), pa.int32(), pa.float32(), pa.bool_(), pa.date32()

_MENTION = pa.struct({"kind": _S, "number": _S, "act_id": _S})
_WEIGHTED = pa.struct({"text": _S, "weight": _F})
_SEARCHED = pa.struct({"text": _S, "weight": _F, "words_only": _B})

QUERIES = table(
    "queries",
    3,
    column("query_id", _S, "the query"),
    column("text", _S, "the complaint as it is read"),
    column("as_of", _D, "day whose law is searched; none: each Act as it was last", null=True),
    column("acts", pa.list_(_S), "act_id of each Act it names, in order"),
    column(
        "mentions",
        pa.list_(_MENTION),
        "provisions it names: section, article or rule, the number as cited, the Act if named",
    ),
    column("dates", pa.list_(_D), "days it names"),
    column("amounts", pa.list_(pa.float64()), "sums of money it names", "rupees"),
    column(
        "texts",
        pa.list_(_SEARCHED),
        "what is searched: the complaint and its rewrites; words_only: by its words, without a vector",
    ),
)

RUNS = table(
    "runs",
    1,
    column("query_id", _S, "the query"),
    column("chunk_id", _S, "the chunk"),
    column("rank", _I, "1 is best"),
    column("score", pa.float64(), "score of the channel"),
    column("channel", _S, "dense, sparse, provision, fused, ..."),
)

ROUTES = table(
    "routes",
    1,
    column("query_id", _S, "the query"),
    column("type", _S, "what it asks for: fact, cross_reference, penalty, temporal or conflict"),
    column("probability", pa.float64(), "of the type, as it was recognised; 0: no reply", "0 to 1"),
)

REWRITES = table(
    "rewrites",
    1,
    column("query_id", _S, "the query"),
    column("rewrite", _S, "what made it: decompose, expand, feedback, hyde, ..."),
    column("texts", pa.list_(_WEIGHTED), "what is searched; none where a model gave nothing"),
    column("error", _S, "why a model gave nothing"),
)

FEATURES = table(
    "features",
    1,
    column("query_id", _S, "the query"),
    column("provision_id", _S, "the candidate"),
    column("chunk_id", _S, "the chunk that stands for it"),
    column("values", pa.list_(_F), "what the ranker reads of it, in its order; NaN for no value"),
)

SCOPE = table(
    "scope",
    1,
    column("query_id", _S, "the query"),
    column("probability", pa.float64(), "that something of this build applies", "0 to 1"),
    column("decision", _S, "answer or decline"),
    column("reason", _S, "why it is declined; empty if it is not"),
    column("elsewhere", _S, "what it looks like that is not here, where it is declined or doubtful"),
)

JUDGEMENTS = table(
    "judgements",
    1,
    column("query_id", _S, "the query"),
    column("candidates", pa.list_(_S), "provisions that the judge read, in the order in which it read them"),
    column("primary", _S, "the one that it names first; empty: none fits"),
    column("applicable", pa.list_(_S), "those that apply, the primary first"),
    column("order", pa.list_(_S), "the best, most fitting first; it need not name all"),
    column("p", pa.float64(), "its probability that the primary is right", "0 to 1", null=True),
    column("why", _S, "its reason, in a sentence"),
    column("error", _S, "why there is no verdict; empty if there is one"),
    column("tokens_in", _I, "tokens of the prompt, if the endpoint counts", "tokens"),
    column("tokens_out", _I, "tokens of the reply", "tokens"),
)

ESTIMATES = table(
    "estimates",
    1,
    column("query_id", _S, "the query"),
    column("provision_id", _S, "the candidate"),
    column("chunk_id", _S, "the chunk that stands for it"),
    column("applies", pa.float64(), "probability that it applies", "0 to 1"),
    column("primary", pa.float64(), "probability that it is the primary provision", "0 to 1"),
)

TRACES = table(
    "traces",
    1,
    column("query_id", _S, "the query"),
    column("step", _I, "place of the operation, from 1"),
    column("round", _I, "round of the loop, from 1"),
    column("operation", _S, "plan, retrieve, read, reflect or decide"),
    column("content", _S, "what came of it, as JSON: enough to run the loop again"),
    column("pool", _I, "size of the evidence pool after it", "chunks"),
    column("unresolved", _I, "sub-questions that are open or contradicted after it"),
    column("confidence", pa.float64(), "h after it", "0 to 1"),
)

ANSWERS = table(
    "answers",
    2,
    column("query_id", _S, "the query"),
    column("answer", _S, "the answer as JSON: roles, charges, note, prose with its references"),
    column("abstained", _B, "whether it says that no provision was found that applies"),
    column("error", _S, "why a model gave no answer, and extracts stand instead; empty if it gave one"),
    column("parse_pass", _I, "pass of the parser that read the reply; 0: no model was asked"),
    column("attempts", _I, "calls to the model"),
    column("tokens_in", _I, "size of the prompt", "tokens"),
    column("tokens_out", _I, "size of the reply", "tokens"),
    column("cost", pa.float64(), "price of the calls", "currency of the prices"),
    column("n_charges", _I, "charges in the answer"),
    column("n_verified", _I, "charges whose provision is in the context and in force"),
    column("n_not_in_context", _I, "charges whose provision was not among those given"),
    column("n_not_in_corpus", _I, "charges whose provision the build does not hold"),
    column("n_not_in_force", _I, "charges whose provision is omitted, repealed or not of that day"),
)

_S, _I, _F = pa.string(), pa.int32(), pa.float64()

LEARNING = table(
    "learning",
    1,
    column("step", _I, "steps done"),
    column("epoch", _F, "passes over the texts done"),
    column("split", _S, "train, held_out or unseen"),
    column("metric", _S, "loss, mrr, first, in_20 or set_in_20"),
    column("value", _F, "its value, of the loss the mean since the row before"),
    column("n", _I, "texts it is a mean of"),
)

LEARNED = table(
    "learned",
    2,
    column("id", _S, "the text: act/section/style, or the story's id"),
    column("kind", _S, "plain, scene, message, story or question; of a benchmark its name"),
    column(
        "split",
        _S,
        "held_out: a provision; unseen: an Act; written: all but its lay texts; left_out: a text",
    ),
    column("rank_before", _I, "rank of the primary provision by the base model, 1 is best"),
    column("rank_after", _I, "rank of the primary provision by the reader"),
    column("worst_before", _I, "rank of the last of all that apply, by the base model"),
    column("worst_after", _I, "rank of the last of all that apply, by the reader"),
    column("best_before", _I, "rank of the first of all that apply, by the base model"),
    column("best_after", _I, "rank of the first of all that apply, by the reader"),
)


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
