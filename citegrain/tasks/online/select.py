"""Declaration of ``select``: from a ranked list, or from probabilities, to the few that are shown."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, collapse, make_run, min_max, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import Matrix, PublishedBuild

STAGE = Stage("select", 8, (RUNS,))
METHODS = ("top", "mmr", "expected", "conformal")
_ESTIMATED = ("expected", "conformal")
UNITS = ("chunk", "provision")
SCALES = ("raw", "min_max")
PROBABILITY = {"primary": "primary", "all": "applies"}
"""What is compared for a set that is to hold the primary provision, or all."""

Vector = npt.NDArray[np.float64]
BEYOND = 2.0
"""The conformal score of a question whose provision is not among the candidates."""


@dataclass(frozen=True)
class SelectConfig:
    """Which candidates are kept.

    Attributes
    ----------
    method
        ``top`` keeps the order, ``mmr`` trades relevance against likeness (Eq. 3.5). By probabilities
        (stage ``estimate``): ``expected`` gives as many as are expected to score best, or ``k`` where nothing
        is estimated; ``conformal`` those that are probable enough to hold the primary provision, or all,
        of a share of the questions; of a question of which nothing is estimated ``k``.
    unit
        ``provision`` keeps one chunk a provision, its best; ``chunk`` may keep several.
    k
        How many are kept (k_2 of the thesis); of ``expected`` at most, of ``conformal`` it is not read.
    exactness
        Of ``expected``: what being exactly what applies is worth beside an F1 of 1; 0 looks at F1 alone.
    holds, coverage
        Of ``conformal``: ``primary`` or ``all``, and of which share of the questions.
    balance, scale
        Of Eq. 3.5: lambda_mmr, 1 is relevance alone; and that of relevance, ``raw`` (the thesis) or
        ``min_max``, 0..1 a query.
    gap, raw_gap, threshold
        Nothing is kept behind a drop of relevance (0..1 a query) greater than ``gap``, or of the score itself
        as great as ``raw_gap``, nor with a score below ``threshold``; 0 for no such cut.
    pinned
        So many of the provisions that the question names by number come first, whatever was found: by its
        first chunk the best candidate of each jurisdiction, else the only provision of it that is meant.
    documents
        Of the first 2 ``k`` only those of so many documents are kept, the best by 0.6 of the greatest and 0.4
        of the mean score of their chunks (phase 5 of the LegalBench guide); 0 for no limit.
    margin, fewest
        Nothing is kept whose score is below the best by more than ``margin``, but for the first ``fewest`` of
        the documents above (same source); 0 for no such cut.
    per_case
        Most that are kept of one judgment, or of one provision of another document; 0 for no limit.
    tokens
        Most that all kept chunks may have together; 0 for no limit. The first chunk is always kept.
    """

    method: str = "top"
    unit: str = "provision"
    k: int = 5
    exactness: float = 0.5  # chosen on real_choose and complaints_dev: docs/asking.md
    holds: str = "primary"
    coverage: float = 0.9
    balance: float = 0.5
    scale: str = "min_max"
    gap: float = 0.0
    raw_gap: float = 0.0
    threshold: float = 0.0
    pinned: int = 0
    documents: int = 0
    margin: float = 0.0
    fewest: int = 7
    per_case: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("method", self.method, METHODS),
            ("unit", self.unit, UNITS),
            ("scale", self.scale, SCALES),
            ("holds", self.holds, tuple(PROBABILITY)),
        ):
            if value not in allowed:
                raise ValueError(f"select.{name}={value}: one of {', '.join(allowed)}")
        if self.k < 1 or not 0 <= self.balance <= 1 or not 0 <= self.gap <= 1:
            raise ValueError("select: k must be positive, balance and gap lie in 0 to 1")
        if not 0 < self.coverage < 1:
            raise ValueError("select.coverage must lie between 0 and 1")
        limits = ("per_case", "tokens", "exactness", "raw_gap", "threshold", "pinned", "documents")
        if negative := [name for name in (*limits, "margin", "fewest") if getattr(self, name) < 0]:
            raise ValueError(f"select.{negative[0]} must not be negative")

    def parameters(self) -> dict[str, Any]:
        """The parameters that the method reads."""
        reads = {"mmr": ("balance", "scale"), "expected": ("exactness",), "conformal": ("holds", "coverage")}
        unread = {name for names in reads.values() for name in names} - set(reads.get(self.method, ()))
        optional = ("raw_gap", "threshold", "pinned", "documents", "margin")
        unread |= {name for name in optional if not getattr(self, name)}
        unread |= set() if self.margin else {"fewest"}
        return {name: value for name, value in asdict(self).items() if name not in unread}


def select(
    build: PublishedBuild,
    run: pa.Table,
    config: SelectConfig,
    estimates: pa.Table | None = None,
    conformal: Mapping[str, Sequence[float]] = MappingProxyType({}),
    mentioned: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType({}),
    carried: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> pa.Table:
    """Keep some of each query's candidates, in the order they were chosen.

    Raises ValueError if ``conformal`` is asked for, and there are none.

    ``conformal``: by query the scores of questions like it that were kept apart. ``carried``: what
    :func:`~citegrain.tasks.online.hits.carried_by_the_law` gives: what is no answer.
    """
    if config.method == "conformal" and estimates is None:
        raise ValueError("select=conformal reads probabilities: it needs fuse=learned and estimate=learned")
    probabilities: dict[str, dict[str, dict[str, float]]] = {}
    if config.method in _ESTIMATED and estimates is not None:
        for row in estimates.to_pylist():
            probabilities.setdefault(row["query_id"], {})[row["provision_id"]] = row
    out = {}
    for query, ranked in rankings(run).items():
        gone = carried.get(query, ())
        law = [hit for hit in ranked if (build.citations[hit[0]] or "").partition("__")[0] not in gone]
        chosen, most = law or ranked, config.k
        if query in probabilities:
            alike = conformal.get(query, ())
            chosen, most = _probable(build, chosen, config, probabilities[query], alike)
        out[query] = _select(build, chosen, config, most, mentioned.get(query, ()))
    return make_run(out, "selected")


def _probable(
    build: PublishedBuild,
    ranked: Ranked,
    config: SelectConfig,
    chances: Mapping[str, Mapping[str, float]],
    alike: Sequence[float],
) -> tuple[Ranked, int]:
    """The candidates that are probable enough, and how many of them are kept at most."""
    cited = [build.citations[chunk] or "" for chunk, _ in ranked]
    if config.method == "expected":
        return ranked, _size([chances[p] for p in dict.fromkeys(cited) if p in chances], config)
    target, least = PROBABILITY[config.holds], least_probability(alike, config.coverage)
    pairs = zip(ranked, cited, strict=True)
    probable = [hit for hit, p in pairs if p in chances and chances[p][target] >= least]
    return probable or ranked[:1], len(ranked)


def with_alone(selected: pa.Table, alone: Mapping[str, Collection[str]]) -> pa.Table:
    """A run in which the chunks of what a question does nothing but name are all that it is given."""
    chosen = rankings(selected) if alone else {}
    for query in alone.keys() & chosen.keys():
        scores = dict(chosen[query])
        best = max(scores.values(), default=0.0)
        chosen[query] = [(chunk, scores.get(chunk, best)) for chunk in alone[query]]
    return make_run(chosen, "selected") if alone else selected


def provisions_named(build: PublishedBuild, queries: pa.Table) -> dict[str, list[list[str]]]:
    """What law of its day each query names: of each mention and jurisdiction the first chunks meant."""
    out = {}
    for row in queries.select(["query_id", "mentions", "as_of"]).to_pylist():
        law, groups = build.eligible(row["as_of"]), list[list[str]]()
        for m in row["mentions"]:
            places: dict[str, list[str]] = {}
            for provision in build.meant(m["kind"], m["number"], m["act_id"]):
                if rows := [r for r in build.rows_of(provision) if law[r]][:1]:
                    place = build.jurisdictions.get(build.act_ids[rows[0]], "")
                    places.setdefault(place, []).append(build.chunk_ids[rows[0]])
            groups += places.values()
        out[row["query_id"]] = groups
    return out


def promised(config: SelectConfig, alike: Sequence[float]) -> bool:
    """Whether sets of candidates can hold what they are to hold of so many questions like one."""
    return config.method != "conformal" or least_probability(alike, config.coverage) >= 0


def _size(estimated: Sequence[Mapping[str, float]], config: SelectConfig) -> int:
    """How many of the candidates are expected to make the best set, in the order in which they stand."""
    applies = [row["applies"] for row in estimated]
    scores = expected_f1(applies, config.k) + config.exactness * expected_exact(applies, config.k)
    return int(np.argmax(scores)) + 1 if len(scores) else 1


def _select(
    build: PublishedBuild,
    ranked: Ranked,
    config: SelectConfig,
    most: int,
    mentioned: Sequence[Sequence[str]],
) -> Ranked:
    if config.unit == "provision":
        ranked = [(chunk_id, score) for _, chunk_id, score in collapse(ranked, build.citations)]
    ranked = _of_best_documents(build, ranked, config.documents, 2 * most)
    pinned = _pinned(build, ranked, mentioned)[: config.pinned]
    ranked = _without(build, ranked, pinned, config.unit)
    ranked = _before_gap(_before_raw_gap(_within_margin(ranked, config), config), config.gap)
    if config.method == "mmr" and ranked:
        scores = [s for _, s in ranked]
        relevance = np.asarray(min_max(scores) if config.scale == "min_max" else scores)
        vectors = build.vectors([build.rows[c] for c, _ in ranked])
        order = maximal_marginal_relevance(relevance, vectors, config.balance)
        ranked = [ranked[i] for i in order]
    return _within_limits(build, [*pinned, *ranked], config, most)


def _pinned(build: PublishedBuild, ranked: Ranked, mentioned: Sequence[Sequence[str]]) -> Ranked:
    """What is named, with the best score; of what a mention may mean the best candidate."""
    places: dict[str | None, int] = {}
    for place, (chunk_id, _) in enumerate(ranked):
        places.setdefault(build.citations[chunk_id], place)
    best = max((score for _, score in ranked), default=0.0)
    chosen: list[str] = []
    for group in mentioned:
        near = sorted((places[p], c) for c in group if (p := build.citations[c]) in places)
        chosen += [near[0][1]] if near else group if len(group) == 1 else []
    return [(chunk_id, best) for chunk_id in dict.fromkeys(chosen)]


def _without(build: PublishedBuild, ranked: Ranked, pinned: Ranked, unit: str) -> Ranked:
    """The list without what is pinned: without those chunks, or those provisions."""
    chunks = {chunk_id for chunk_id, _ in pinned}
    provisions = {build.citations[chunk_id] for chunk_id in chunks} if unit == "provision" else set()
    return [item for item in ranked if item[0] not in chunks and build.citations[item[0]] not in provisions]


def _of_best_documents(build: PublishedBuild, ranked: Ranked, documents: int, first: int) -> Ranked:
    """Of the first candidates those of the best documents; all candidates, if there is no limit."""
    if not documents:
        return ranked
    scores: dict[str, list[float]] = {}
    for chunk_id, score in ranked[:first]:
        scores.setdefault(build.span(chunk_id)[0], []).append(score)
    worth = {name: 0.6 * max(values) + 0.4 * float(np.mean(values)) for name, values in scores.items()}
    best = sorted(worth, key=lambda name: -worth[name])[:documents]
    return [item for item in ranked[:first] if build.span(item[0])[0] in best]


def _within_margin(ranked: Ranked, config: SelectConfig) -> Ranked:
    """Those whose score is near enough to the best; at least the first ``config.fewest``."""
    if not config.margin or not ranked:
        return ranked
    least = max(score for _, score in ranked) - config.margin
    near = [item for item in ranked if item[1] >= least]
    return near if len(near) >= config.fewest else ranked[: config.fewest]


def maximal_marginal_relevance(
    relevance: npt.NDArray[np.float64], vectors: Matrix, balance: float
) -> list[int]:
    """All candidates in the order in which Eq. 3.5 chooses them.

    Each time the candidate with the greatest ``balance * relevance - (1 - balance) * likeness`` is taken,
    likeness being its greatest cosine to one already taken, 0 before the first. Ties go to
    the earlier candidate. Source: Carbonell and Goldstein 1998; Eq. 3.5.

    ``relevance``: shape (candidates,). ``vectors``: unit vectors, shape (candidates, dimension).
    """
    cosines = vectors @ vectors.T
    likeness = np.full(len(relevance), -np.inf)
    left = list(range(len(relevance)))
    order: list[int] = []
    while left:
        penalty = likeness[left] if order else np.zeros(len(left))
        values = balance * relevance[left] - (1 - balance) * penalty
        chosen = left.pop(int(np.argmax(values)))
        order.append(chosen)
        likeness = np.maximum(likeness, cosines[chosen])
    return order


def _before_gap(ranked: Ranked, gap: float) -> Ranked:
    """The list up to the first drop of relevance that is greater than ``gap``."""
    if not gap:
        return ranked
    scaled = min_max([s for _, s in ranked])
    cut = next((i for i in range(1, len(scaled)) if scaled[i - 1] - scaled[i] > gap), len(scaled))
    return ranked[:cut]


def _before_raw_gap(ranked: Ranked, config: SelectConfig) -> Ranked:
    """The list as far as its scores themselves allow."""
    if config.threshold:
        ranked = [item for item in ranked if item[1] >= config.threshold]
    drops = (i for i in range(1, len(ranked)) if ranked[i - 1][1] - ranked[i][1] >= config.raw_gap)
    return ranked[: next(drops, len(ranked))] if config.raw_gap else ranked


def _within_limits(build: PublishedBuild, ranked: Ranked, config: SelectConfig, most: int) -> Ranked:
    selected: Ranked = []
    cases = {act["act_id"] for act in build.acts if act["kind"] == "judgment"} if config.per_case else set()
    counts: Counter[str] = Counter()
    tokens = 0
    for chunk_id, score in ranked:
        passage = build.passage(build.rows[chunk_id])
        act = str(passage["act_id"])
        case = act if act in cases else build.citations[chunk_id] or chunk_id
        if config.per_case and counts[case] >= config.per_case:
            continue
        if config.tokens and selected and tokens + passage["n_tokens"] > config.tokens:
            break
        selected.append((chunk_id, score))
        counts[case] += 1
        tokens += passage["n_tokens"]
        if len(selected) == most:
            break
    return selected


def expected_f1(applies: Sequence[float], longest: int) -> Vector:
    """Expected F1 of the first 1, 2, ... ``longest`` candidates.

    Candidates are taken as independent, and none beside them as applicable. With t of the m given and r of
    the others applicable F1 is 2t / (m + t + r). Source: Jansche 2007, expectation under independence.

    ``applies``: probability of each candidate, greatest first.
    """
    rest = [np.ones(1)]
    for p in reversed(applies):
        rest.append(np.convolve(rest[-1], [1 - p, p]))
    given, out = np.ones(1), []
    for m, p in enumerate(applies[:longest], 1):
        given = np.convolve(given, [1 - p, p])
        others = rest[len(applies) - m]
        t, r = np.arange(len(given))[:, None], np.arange(len(others))[None, :]
        out.append(float((given[:, None] * others[None, :] * 2 * t / (m + t + r)).sum()))
    return np.array(out)


def expected_exact(applies: Sequence[float], longest: int) -> Vector:
    """Probability that the first 1, 2, ... ``longest`` candidates are exactly those that apply."""
    p = np.clip(np.asarray(applies, dtype=np.float64), 0.0, 1.0)
    inside = np.cumprod(p)
    outside = np.append(np.cumprod((1 - p)[::-1])[::-1][1:], 1.0)
    return np.asarray((inside * outside)[:longest])


def least_probability(scores: Sequence[float], coverage: float) -> float:
    """Candidates of this probability and above hold the right one in ``coverage`` of exchangeable questions.

    One less the ceil((n + 1) coverage)-th smallest score; below 0, so that all candidates are given, where n
    is too small for it, or too many questions have no right candidate. Source: Sadinle, Lei and Wasserman
    2019, the least ambiguous sets, with the correction for finite samples.

    ``scores``: of questions that were kept apart: one less the probability of the right candidate; ``BEYOND``
    where it is not among them.
    """
    rank = int(np.ceil((len(scores) + 1) * coverage))
    return 1 - float(np.sort(scores)[rank - 1]) if rank <= len(scores) else 1 - BEYOND
