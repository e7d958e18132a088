"""Declarations of ``estimate``: a decision for each query, and probabilities of its candidates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, groups, rankings
from citegrain.tasks.core.schemas import ESTIMATES, SCOPE
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.law.asof import without_times
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.estimate import scope as reading
from citegrain.tasks.online.estimate.catalogue import Catalogue
from citegrain.tasks.online.estimate.model import HEAD, Estimates, sigmoid
from citegrain.tasks.online.features import matrix_of

SCOPE_STAGE = Stage("scope", 22, (SCOPE,))
ESTIMATE = Stage("estimate", 7, (ESTIMATES,))
ANSWER, DECLINE = "answer", "decline"
_DOUBTFUL = 0.85  # below it an answer says what else the question looks like
_LIKELY = 1e-6
_FIRST, _COVERED, _ODDS = 5, 0.75, 1.0
"""Where one of the first candidates has so great a share of a question's words, the logarithm of the odds
that anything applies grows by so much before the question is declined: docs/log.md."""
FEWEST = 6  # Acts of the smallest build of which ``short`` has learned
SHORT = 26  # words up to which ``short`` has learned from questions
_FEW_WORDS, _ODDS_OF_FEW = 12, 0.55
"""The same as ``_ODDS`` for one that says little, where ``short`` does not decide."""
_MOSTLY_NEW = 0.5  # share of the first candidates from which ``new_acts`` decides if one is first
_ODDS_OF_MORE = 0.5  # less for each unit of the logarithm by which one in Hindi has more words: docs/log.md
_TOO_FEW = 3  # words of which nothing is like anything here: a greeting, who has said nothing yet
_OF_LAW = 0.5  # probability for who asks what the law says, where nothing elsewhere is clearly nearer
_UNCOMMON = 2.2  # weight of a word that says what a question is about: "section" and "law" have less
_LEAST_WEIGHT = 0.3  # of a word: common ones count a little, too, and so do those that no text has
_FEW_ACTS = 2  # Acts with a provision of a number that stands for it without their names
_ALONE = 0.99  # probability of what a question does nothing but name: the question is what it says
_WRITTEN_FIT = ((0.26, 0.26, -1.16, 0.50), (0.94, 0.14, -1.37, 0.77))
"""To apply, and to be primary: factor and summand of the odds that ``written`` gives, each with what it grows
by with the length of the question; of few words odds say less. By ``others_dev``."""
_NO_FIT = ((1.0, 0.0, 0.0, 0.0),) * 2
_Verdict = tuple[float, str, str]
"""How probable it is that anything applies, why the question is declined, and what governs instead."""


@dataclass(frozen=True)
class Judgement:
    """What is estimated of a query and its candidates.

    ``facts``: ``probability``, ``decision``, ``reason`` and ``elsewhere`` of table ``scope``. ``candidates``:
    ``probability`` to apply, and to be the ``primary`` provision, by provision.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    candidates: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def declined(self) -> bool:
        """Whether nothing seems to apply."""
        return self.facts.get("decision") == DECLINE

    def estimates_of(self, provision_id: str) -> dict[str, float]:
        """What is estimated of a provision; nothing of one that is no candidate."""
        return self.candidates.get(provision_id, {})


def judgements(scope: pa.Table | None, estimates: pa.Table | None) -> dict[str, Judgement]:
    """What was estimated, by query; nothing where the tables are not there."""
    if scope is None or estimates is None:
        return {}
    candidates: dict[str, dict[str, dict[str, float]]] = {}
    for row in estimates.to_pylist():
        numbers = {"probability": row["applies"], "primary": row["primary"]}
        candidates.setdefault(row["query_id"], {})[row["provision_id"]] = numbers
    facts = {row.pop("query_id"): row for row in scope.to_pylist()}
    return {query: Judgement(row, candidates.get(query, {})) for query, row in facts.items()}


def make_scope(
    build: PublishedBuild,
    queries: pa.Table,
    vectors: Matrix,
    candidates: tuple[pa.Table, Sequence[str], pa.Table],
    learned: Estimates,
    catalogue: Catalogue,
    decline_below: float,
    new: Sequence[Collection[str]] = (),
) -> pa.Table:
    """Table ``scope``; where most Acts are in no catalogue only what is no question of law is declined.

    Parameters
    ----------
    vectors
        Of the queries, shape (queries, dimension).
    candidates
        Table of their features, names of these, and the candidates in the order of the ranker.
    decline_below
        Least probability of a question that is answered.
    new
        Provisions of which nothing was learned, of Acts without lay texts and with some.
    """
    features, names, fused = candidates
    values = matrix_of(features, len(names))
    of_queries = groups(features.column("query_id").to_pylist())
    rows_of = {query: slice(first, after) for query, first, after in of_queries}
    ranked = rankings(fused)
    present = build.shared("entries present", lambda: catalogue.present(build))
    # most of what is here stands in no catalogue: nearness to the rest says nothing of it
    strange = bool(2 * present.sum() < len(build.names()))
    judge = _Judge(build, learned, catalogue, present, strange, decline_below)
    rows = []
    for query, vector in zip(queries.to_pylist(), vectors, strict=True):
        if build.lexical_only(query["text"]):  # nothing was learned of questions without vectors
            continue
        mine = values[rows_of.get(query["query_id"], slice(0))]
        columns = {name: mine[:, names.index(name)] for name in reading.SCORES}
        order = ranked.get(query["query_id"], [])
        scores, text = np.array([score for _, score in order]), query["text"]
        near, nearest = catalogue.near(vector, text)
        likely = catalogue.likely(nearest, text, present)
        question = reading.ScopeQuestion(query, vector, columns, scores, near, nearest, likely)
        provisions = [build.citations[chunk] for chunk, _ in order[:HEAD]] if any(new) else []
        if any(provisions[0] in some for some in new if provisions):
            question = replace(question, new=reading.shares_of(new, provisions, scores))
        probability, reason, elsewhere = judge.judged(question, [chunk for chunk, _ in order[:_FIRST]])
        rows.append(
            {
                "query_id": query["query_id"],
                "probability": probability,
                "decision": DECLINE if reason else ANSWER,
                "reason": reason,
                "elsewhere": elsewhere,
            }
        )
    return SCOPE.rows(rows)


@dataclass(frozen=True)
class _Judge:
    """What decides over the questions to a build; arguments are those of :func:`make_scope`."""

    build: PublishedBuild
    learned: Estimates
    catalogue: Catalogue
    present: npt.NDArray[np.bool_]
    strange: bool
    decline_below: float

    def judged(self, question: reading.ScopeQuestion, first: Sequence[str]) -> _Verdict:
        """The verdict on a question whose first candidates are some chunks."""
        build, query, text = self.build, question.query, question.query["text"]
        cites = names_provision(build, query)
        if self.decline_below > 0 and not cites and reading.unreadable(text, build.pieces, build.has_word):
            return 0.0, "not_readable", ""
        verdict = self._estimated(question)
        learned = (self.learned.new_acts and self.is_about_new(question)) or (
            self.learned.short and self.is_short(query)
        )
        if verdict[1] in ("nothing_like_this", "not_indexed") and not learned:
            verdict = self._raised(verdict, query, first)
        clear = verdict[1] != "too_vague" or reading.speaks_of_law(text)
        names_act = query["acts"] and len(text.split()) <= SHORT  # in few words it is about what it names
        if verdict[1] and clear and (names_act or asks_of_this_law(build, text)):
            absent = reading.governed_elsewhere(question, self.present, self.catalogue.other, self.strange)
            verdict = (max(verdict[0], _OF_LAW), "", "") if query["acts"] or not absent else verdict
        if cites:  # who names a provision of the build asks about it
            return verdict[0], "", ""
        vague = verdict[1] == "nothing_like_this" and len(text.split()) <= _TOO_FEW
        if verdict[1:] == ("not_indexed", ""):
            return *verdict[:2], reading.either(question, self.catalogue, self.present)
        return (verdict[0], "too_vague", "") if vague else verdict

    def is_short(self, query: Mapping[str, Any]) -> bool:
        """Whether a question is like the short ones in English of which ``short`` learned."""
        long = len(query["text"].split()) > SHORT
        return not (self.strange or long or self.present.sum() < FEWEST or _glossed(query))

    def is_about_new(self, question: reading.ScopeQuestion) -> bool:
        """Whether a question is like those of which ``new_acts`` learned."""
        return not self.strange and sum(question.new) >= _MOSTLY_NEW and not _glossed(question.query)

    def _estimated(self, question: reading.ScopeQuestion) -> _Verdict:
        catalogue, other, learned = self.catalogue, self.catalogue.other, self.learned
        if self.strange:
            odds = np.array([reading.legal_odds(learned.kinds, question.vector)])
        else:
            read = np.array([reading.scope_features(question, self.present, other, learned.kinds)])
            of_all = odds = learned.scope.scores(read)
            if learned.short and self.is_short(question.query):
                odds = learned.short.logits(np.column_stack([of_all, read]))[:, 0]
            elif learned.glossed and _glossed(question.query):
                # the more words, the likelier that some are like those of a provision by chance
                more = max(0.0, reading.length_of(question.query["text"]) - np.log1p(_FEW_WORDS))
                odds = odds + learned.glossed.logits(question.vector[None, :])[0] - _ODDS_OF_MORE * more
            if learned.new_acts and self.is_about_new(question):
                better = learned.new_acts.logits(np.column_stack([of_all, read, [question.new]]))[:, 0]
                # probabilities of candidates were learned beside the others: these stay where it is answered
                declined = sigmoid(better) < self.decline_below
                odds = np.where(declined, better, np.maximum(odds, better))
        probability = float(sigmoid(odds)[0])
        declines, doubtful = probability < self.decline_below, not self.strange and probability < _DOUBTFUL
        if not declines and not (doubtful and reading.nearer_elsewhere(question, self.present, other)):
            return probability, "", ""
        reason, elsewhere = reading.decide(question, catalogue, self.present, learned.kinds)
        return probability, reason if declines else "", elsewhere

    def _raised(self, verdict: _Verdict, query: Mapping[str, Any], first: Sequence[str]) -> _Verdict:
        """A verdict that declines, or its probability where words of the question speak against that."""
        odds, few = np.log(verdict[0]) - np.log1p(-verdict[0]), len(query["text"].split()) <= _FEW_WORDS
        by_length, by_words = sigmoid(odds + few * _ODDS_OF_FEW), sigmoid(odds + _ODDS)
        if by_words >= self.decline_below and covered(self.build, query, first) >= _COVERED:
            return float(by_words), "", verdict[2]
        return (float(by_length), "", verdict[2]) if by_length >= self.decline_below else verdict


def _glossed(query: Mapping[str, Any]) -> bool:
    return any(text.get("words_only") for text in query["texts"])


def asks_of_this_law(build: PublishedBuild, text: str) -> bool:
    """Whether a text asks what the law says, in words of the build alone, one of them at least uncommon.

    Its times do not count: each month and year is a word of some Act.
    """
    query = [{"text": without_times(text), "weight": 1.0}] if reading.asks_what_law_says(text) else []
    weights = build.term_weights(query) if query else {}
    words = [weight for term, weight in weights.items() if term.isalpha()]
    return bool(words) and min(words) > 0 and max(words) > _UNCOMMON


def covered(build: PublishedBuild, query: Mapping[str, Any], chunks: Sequence[str]) -> float:
    """Greatest share of a question's words that stand in one of some chunks, or in its heading or lay texts.

    Each word counts by its rarity in build and stories.
    """
    rarity = build.term_weights(query["texts"])
    weights = {term: max(rarity.get(term, 0.0), _LEAST_WEIGHT) for term in build.terms(query["text"])}
    best = 0.0
    for row in (build.rows[chunk] for chunk in chunks):
        passage = build.passage(row)
        terms = set(build.terms(" ".join((passage["header"], passage["text"], *build.lay_texts(row)))))
        best = max(best, sum(weight for term, weight in weights.items() if term in terms))
    return best / sum(weights.values()) if weights else 0.0


def names_provision(build: PublishedBuild, query: Mapping[str, Any]) -> bool:
    """Whether a question names a provision by its number and Act, or by a number that few Acts have."""
    acts = {act for act, _, _ in build.names()}
    return any(
        mention["act_id"] in acts
        or (
            mention["act_id"] is None
            and 0 < len(build.cited(mention["kind"], mention["number"], None)) <= _FEW_ACTS
        )
        for mention in query["mentions"]
    )


def candidate_features(
    scores: npt.NDArray[np.float64], probability: float, length: float
) -> npt.NDArray[np.float64]:
    """What ``applies`` and ``primary`` read of candidates: shape (candidates, 7).

    ``length``: of the question, ``length_of``: of few words the same share means more.
    """
    share = scores - np.logaddexp.reduce(scores[:HEAD])
    ranks = np.log(np.arange(1, len(scores) + 1))
    scope, words = np.full(len(scores), np.log(probability + _LIKELY)), np.full(len(scores), length)
    return np.stack([share, scores - scores[0], scores, ranks, scope, words, share * words], axis=1)


def abroad_features(rows: npt.NDArray[np.float64], provisions: int) -> npt.NDArray[np.float64]:
    """What ``bare`` and ``written`` read of candidates: shape (candidates, 8).

    ``rows``: of ``candidate_features``. ``provisions``: number of those of Acts of which nothing was learned:
    of few the first is right more often.
    """
    return np.column_stack([rows, np.full(len(rows), np.log1p(provisions))])


def make_estimates(
    fused: pa.Table,
    scope: pa.Table,
    queries: pa.Table,
    citations: Mapping[str, str | None],
    learned: Estimates,
    bare: Collection[str] = frozenset(),
    written: Collection[str] = frozenset(),
) -> pa.Table:
    """Table ``estimates`` of the fused candidates, in their order.

    ``bare``, ``written``: the provisions of which nothing was learned, of Acts without lay texts and with.
    """
    texts = dict(zip(*queries.select(["query_id", "text"]).to_pydict().values(), strict=True))
    probability = dict(
        zip(scope.column("query_id").to_pylist(), scope.column("probability").to_pylist(), strict=True)
    )
    rows = []
    for query, ranked in rankings(fused).items():
        if query not in probability:
            continue
        length = reading.length_of(texts[query])
        read = candidate_features(np.array([score for _, score in ranked]), probability[query], length)
        applies, primary = learned.applies.probability(read), learned.primary.probability(read)
        for models, some, fits in ((learned.bare, bare, _NO_FIT), (learned.written, written, _WRITTEN_FIT)):
            mine = np.array([citations[chunk] in some for chunk, _ in ranked])
            if models and mine.any():
                signs = abroad_features(read[mine], len(bare) + len(written))
                odds = (model.logits(signs)[:, 0] for model in models)
                applies[mine], primary[mine] = (
                    sigmoid((a + b * length) * one + c + d * length)
                    for one, (a, b, c, d) in zip(odds, fits, strict=True)
                )
        rows += _rows(query, ranked, citations, applies, primary)
    return ESTIMATES.rows(rows)


def _rows(
    query: str,
    ranked: Ranked,
    citations: Mapping[str, str | None],
    applies: npt.NDArray[np.float64],
    primary: npt.NDArray[np.float64],
) -> list[dict[str, object]]:
    return [
        {
            "query_id": query,
            "provision_id": citations[chunk],
            "chunk_id": chunk,
            "applies": float(max(a, p)),
            "primary": float(p),
        }
        for (chunk, _), a, p in zip(ranked, applies, primary, strict=True)
    ]


def with_named(
    estimates: pa.Table, alone: Mapping[str, Mapping[str, float]], citations: Mapping[str, str | None]
) -> pa.Table:
    """Estimates in which what a question does nothing but name is sure, as far as its number is.

    ``alone``: of each chunk its share, by query.
    """
    judged = set(estimates.column("query_id").to_pylist())
    sure = {
        (query, citations[chunk]): {"chunk_id": chunk, "applies": _ALONE * share}
        for query, chunks in alone.items()
        if query in judged
        for chunk, share in chunks.items()
    }
    rows = []
    for row in estimates.to_pylist() if sure else ():
        mine = sure.pop((row["query_id"], row["provision_id"]), {})
        rows.append(row | mine | ({"primary": mine["applies"]} if mine else {}))
    rows += [
        {"query_id": q, "provision_id": p, **one, "primary": one["applies"]} for (q, p), one in sure.items()
    ]
    return ESTIMATES.rows(rows) if rows else estimates
