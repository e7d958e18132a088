"""The metrics: their names, what kind of number each is, and how an answer or a list is measured.

Ranking metrics are those of ``trec_eval``, computed by ir-measures; the metrics of an answer are
those of section 4.5 of the thesis (primary citation, complete set) and of 5.2 of the paper-QA system
(source, page), the latter on questions that have a source only.
"""

import re
from collections.abc import Mapping, Sequence

from citegrain.tasks.evaluation.score.gold import CUTS, GoldQuery, Predicted

Page = tuple[str, int]
RANKING_DEPTH, FURTHER_DEPTH = 20, 100

_RANKING = {
    "hit_1": "Success@1",
    "hit_5": "Success@5",
    "hit_10": "Success@10",
    "hit_20": "Success@20",
    "recall_5": "R@5",
    "recall_20": "R@20",
    "mrr": "RR",
    "ndcg_10": "nDCG@10",
    "map": "AP",
}
_FURTHER = {"recall_1": "R@1", "recall_100": "R@100", "mrr_10": "RR@10"}
_PRIMARY = {"primary_1": "Success@1", "primary_5": "Success@5", "primary_20": "Success@20"}
_FUSED = {"fused_primary_20": "Success@20"}

METRICS: Mapping[str, tuple[str, str]] = {
    "primary_accuracy": ("proportion", "the first charge is the primary provision"),
    "complete_accuracy": ("proportion", "the charges are exactly the provisions that apply"),
    "primary_1": ("proportion", "the primary provision is first in the ranking"),
    "primary_5": ("proportion", "the primary provision is among the first 5 of the ranking"),
    "primary_20": ("proportion", "the primary provision is among the first 20 of the ranking"),
    "fused_primary_20": ("proportion", "the primary provision is among the fused 20"),
    "fused_recall_20": ("mean", "share of the applicable provisions among the fused 20"),
    "fused_set_20": ("proportion", "all applicable provisions are among the fused 20"),
    "hit_1": ("proportion", "an applicable provision is first in the ranking"),
    "hit_5": ("proportion", "an applicable provision is among the first 5"),
    "hit_10": ("proportion", "an applicable provision is among the first 10"),
    "hit_20": ("proportion", "an applicable provision is among the first 20"),
    "precision_5": ("mean", "share of the first 5 passages that stand in an applicable provision"),
    "recall_5": ("mean", "share of the applicable provisions among the first 5"),
    "recall_20": ("mean", "share of the applicable provisions among the first 20"),
    "recall_1": ("mean", "share of the applicable provisions that the first is"),
    "recall_100": ("mean", "share of them among 100: behind the ranking what the channels found"),
    "mrr": ("mean", "reciprocal rank of the first applicable provision"),
    "mrr_10": ("mean", "the same, 0 where none is among the first 10"),
    "ndcg_10": ("mean", "nDCG at 10, the primary graded 2, the others 1"),
    "map": ("mean", "average precision"),
    "nugget_5": ("proportion", "the primary is among the first 5 in words that say what was law on the day"),
    "version_5": (
        "proportion",
        "of the primary, or what is in its place, among the first 5: it is of the day",
    ),
    "set_precision": ("mean", "share of the charges that apply; 0 without a charge"),
    "set_recall": ("mean", "share of the applicable provisions that are charged"),
    "set_f1": ("mean", "harmonic mean of the two"),
    "set_jaccard": ("mean", "charges that apply by charges and applicable provisions together"),
    "utility": ("mean", "set_f1 where something applies; 1 or 0 for abstaining or not where nothing does"),
    "wrong_act_rate": ("mean", "share of the charges whose Act has no applicable provision: lower is better"),
    "source_accuracy": ("mean", "share of the applicable Acts among the selected provisions"),
    "page_accuracy": ("mean", "share of the applicable provisions on whose page a selected one is"),
    "cited_source_accuracy": ("mean", "share of the expected files among those that the answer cites"),
    "cited_page_accuracy": ("mean", "share of the expected pages among those that the answer cites"),
    "similarity": ("mean", "cosine of the answer in words and the expected one, by the encoder"),
    "brief_refusal": ("proportion", "of the answers that the texts do not answer: says nothing else"),
    "other_language": ("proportion", "the answer is not in English: lower is better"),
    "citation_validity": ("mean", "share of the charges that were verified"),
    "abstained_in_scope": ("proportion", "abstained though something applies: lower is better"),
    "abstained_out_of_scope": ("proportion", "abstained where nothing applies: higher is better"),
    "elsewhere_accuracy": ("proportion", "the law that governs a query out of scope is named"),
    "confidence": ("mean", "probability given to the first charge of being the primary provision"),
    "brier": ("mean", "squared difference of that probability from whether it is: lower is better"),
    "ece": ("pooled", "mean difference of the two in ten bins of that probability: lower is better"),
    "calibration_error": (
        "pooled",
        "squared difference of the two, by tenths of the queries, less what chance adds: lower is better",
    ),
    "aurc": ("pooled", "area under the risk-coverage curve: lower is better"),
    "selective_50": ("pooled", "primary accuracy on the half of the queries with the most confidence"),
    "selective_80": ("pooled", "primary accuracy on the 80% of the queries with the most confidence"),
    "hallucination_detected": ("proportion", "a model's words cite what does not exist: lower is better"),
    "verification_rate": ("mean", "share of the citations in a model's words that are right"),
    "faithfulness": ("mean", "share of the claims of an answer in words that its contexts support"),
    "context_precision": ("mean", "mean precision at each context on which a claim rests"),
    "citation_precision": ("mean", "share of the references behind claims on which they rest"),
    "failed": ("proportion", "no answer: lower is better"),
    "extracted": (
        "proportion",
        "a model was asked and gave no answer, extracts stand instead: lower is better",
    ),
    **{
        name.format(k): ("mean", what.format(k))
        for k in CUTS
        for name, what in (
            ("char_precision_{}", "share of the characters of the first {} chunks that are gold"),
            ("char_recall_{}", "share of the gold characters that the first {} chunks have"),
            ("mismatch_{}", "share of the first {} chunks whose document has no gold: lower is better"),
        )
    },
    "text_precision": ("mean", "share of the characters of the selected chunks that are gold"),
    "text_recall": ("mean", "share of the gold characters that the selected chunks have"),
    "mismatch": ("mean", "share of the selected chunks whose document has no gold: lower is better"),
    "essential": ("mean", "share of the selected chunks with gold characters"),
    "unnecessary": ("mean", "share of the selected chunks in whose provision no gold is: lower is better"),
}
"""Kind and meaning by name. Up to page_accuracy, all but utility concern queries in scope only. To those of
confidence a charge where nothing applies is a wrong one; without an estimate there are none of them."""

SPAN_METRICS = ("char_precision_1", "char_recall_64", "text_precision", "text_recall", "mismatch")
"""The main ones where gold is spans of characters."""

DATED_METRICS = ("primary_1", "primary_5", "version_5", "nugget_5", "abstained_in_scope")
"""The main ones where the answer depends on the day."""

PROSE_METRICS = (
    "similarity",
    "source_accuracy",
    "page_accuracy",
    "cited_source_accuracy",
    "cited_page_accuracy",
)
"""The main ones where answers in words are compared with expected ones."""

SHARED_METRICS = ("recall_1", "recall_5", "recall_100", "mrr_10", "ndcg_10")
"""Those by which BSARD and Housing Statute QA compare retrieval, each a mean over the queries in scope."""

LOWER = frozenset(name for name, (_, meaning) in METRICS.items() if meaning.endswith(": lower is better"))
"""Metrics of which a lower value is the better one."""

PLAIN = frozenset(
    {"similarity", "mrr", "mrr_10", "ndcg_10", "map", "brier", "ece", "calibration_error", "aurc"}
)
"""Metrics printed as they are; all others are shares, printed in per cent."""

TITLES: Mapping[str, str] = {
    "primary_accuracy": "Primary accuracy",
    "complete_accuracy": "Complete set",
    "primary_1": "Primary first",
    "primary_5": "Primary in 5",
    "primary_20": "Primary in 20",
    "hit_1": "Any applicable first",
    "nugget_5": "Right words in 5",
    "version_5": "Right version",
    "fused_primary_20": "Primary in fused 20",
    "fused_recall_20": "Recall of fused 20",
    "fused_set_20": "Set in fused 20",
    "ndcg_10": "nDCG@10",
    "mrr": "MRR",
    "mrr_10": "MRR@10",
    "map": "MAP",
    "set_f1": "Set F1",
    "elsewhere_accuracy": "Absent Act named",
    "char_precision_1": "Precision of 1",
    "char_recall_64": "Recall of 64",
    "mismatch": "Wrong document",
    "brier": "Brier score",
    "ece": "ECE",
    "calibration_error": "Squared calibration error",
    "aurc": "AURC",
    "selective_50": "Accuracy, surest 50%",
    "selective_80": "Accuracy, surest 80%",
}
"""Names in words, where they are not those of the program with blanks."""

KINDS: Mapping[str, str] = {name: kind for name, (kind, _) in METRICS.items()}


def ranking_scores(
    gold: Sequence[GoldQuery],
    rankings: Mapping[str, Sequence[str]],
    fused: Mapping[str, Sequence[str]],
    further: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, dict[str, float]]:
    """Ranking metrics by query id of the queries in scope.

    ``rankings``, ``fused`` and ``further``: provision ids, best first, by query id: the whole ranking, the
    list after fusion, and the ranking with what the channels found behind it.
    """
    import ir_measures  # takes long to load, and the names of the metrics must load without it

    scoped = [q for q in gold if q.in_scope]
    graded = {q.query_id: {i.label: i.grade for i in q.items} for q in scoped}
    primary = {q.query_id: {q.items[0].label: 1} for q in scoped}
    ranked, joined = _labelled(scoped, rankings), _labelled(scoped, fused)
    deep = _labelled(scoped, further or rankings, FURTHER_DEPTH)
    out: dict[str, dict[str, float]] = {q.query_id: {} for q in scoped}
    for measures, qrels, run in (
        (_RANKING, graded, ranked),
        (_FURTHER, graded, deep),
        (_PRIMARY, primary, ranked),
        (_FUSED, primary, joined),
        ({"fused_recall_20": "R@20"}, graded, joined),
    ):
        for query in out:
            out[query] |= dict.fromkeys(measures, 0.0)  # a query without a list scores nothing
        names = {ir_measures.parse_measure(measure): name for name, measure in measures.items()}
        for result in ir_measures.iter_calc(list(names), qrels, run):
            out[result.query_id][names[result.measure]] = float(result.value)
    for scores in out.values():
        scores["fused_set_20"] = float(scores["fused_recall_20"] == 1)
    return out


def _labelled(
    gold: Sequence[GoldQuery], rankings: Mapping[str, Sequence[str]], depth: int = RANKING_DEPTH
) -> dict[str, dict[str, float]]:
    """A run for ir-measures, scored by rank: trec_eval would break ties by id, and so there are none."""
    out: dict[str, dict[str, float]] = {}
    for query in gold:
        listed = query.labelled(rankings.get(query.query_id, []))[:depth]
        if listed:
            out[query.query_id] = {name: float(len(listed) - i) for i, name in enumerate(listed)}
    return out


def precision_5(query: GoldQuery, listed: Sequence[str | None]) -> dict[str, float]:
    """Share of five passages, given by their provisions, that apply to a query in scope."""
    right = {p for item in query.items for p in item.provisions}
    return {"precision_5": sum(p in right for p in listed[:5]) / 5} if query.in_scope else {}


def answer_scores(query: GoldQuery, answer: Predicted, shown: Sequence[tuple[str, Page]]) -> dict[str, float]:
    """Metrics of one answer.

    ``shown``: (act_id, (document_id, page)) of each selected chunk: what the answer rests on.
    """
    charged = query.labelled(p for p, _ in answer.charges)
    applicable = [item.label for item in query.items]
    out = {"failed": float(answer.failed)}
    if answer.extracted is not None:
        out["extracted"] = float(answer.extracted)
    if answer.hallucinated is not None:
        out["hallucination_detected"] = float(answer.hallucinated)
    if answer.verification_rate is not None:
        out["verification_rate"] = answer.verification_rate
    if query.answer:  # what it says is compared in ``prose``
        return out
    if answer.confidence is not None:
        right = query.in_scope and charged[:1] == applicable[:1]
        out |= {"confidence": answer.confidence, "brier": (answer.confidence - right) ** 2}
    if query.spans:  # no provision is gold
        return {"failed": float(answer.failed), "abstained_in_scope": float(answer.abstained)}
    if not query.in_scope:
        return out | _out_of_scope(query, answer)
    common = len(set(charged) & set(applicable))
    precision = common / len(charged) if charged else 0.0
    recall = common / len(applicable)
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    out |= {
        "primary_accuracy": float(charged[:1] == applicable[:1]),
        "complete_accuracy": float(set(charged) == set(applicable)),
        "set_precision": precision,
        "set_recall": recall,
        "set_f1": f1,
        "utility": f1,
        "set_jaccard": common / len(set(charged) | set(applicable)),
        "abstained_in_scope": float(answer.abstained),
    }
    acts = {item.citation.act for item in query.items}
    if answer.charges:
        out["wrong_act_rate"] = sum(act not in acts for _, act in answer.charges) / len(answer.charges)
    if answer.verified is not None:
        out["citation_validity"] = answer.verified
    shown_acts = {act for act, _ in shown}
    shown_pages = {page for _, page in shown}
    out["source_accuracy"] = len(acts & shown_acts) / len(acts)
    on_page = sum(bool(item.pages & shown_pages) for item in query.items)
    out["page_accuracy"] = on_page / len(query.items)
    return out


def _out_of_scope(query: GoldQuery, answer: Predicted) -> dict[str, float]:
    """Metrics of an answer where nothing applies."""
    out = {"utility": float(answer.abstained)}
    if not answer.failed:
        out["abstained_out_of_scope"] = float(answer.abstained)
    if query.elsewhere and answer.elsewhere is not None:
        out["elsewhere_accuracy"] = float(_title_words(query.elsewhere) == _title_words(answer.elsewhere))
    return out


def _title_words(title: str) -> list[str]:
    """Words of a title, however it is punctuated, without an article before it."""
    words = re.findall(r"\w+", title.casefold())
    return words[1:] if words[:1] == ["the"] else words
