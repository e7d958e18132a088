"""Tables of the online stages: complaints to answers."""

import pyarrow as pa

from citegrain.tasks.core.schemas.base import column, table

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
