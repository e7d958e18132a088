"""What is learned from a text: which passages answer it, which do not, who may see it; a model's card."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.evaluation.benchmark import Citation
from citegrain.tasks.offline.models import ModelFiles
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.train.config import RANKER, READER, RERANKER, TrainConfig
from citegrain.tasks.train.texts import ASKED, FORUM, QUESTION, SHORT, STORY, LayQueries, Question, Story

if TYPE_CHECKING:  # brings SciPy, and this package is loaded to read settings
    from citegrain.tasks.evaluation.compare import Interval, Paired


TRAIN, HELD_OUT, UNSEEN, LEFT_OUT, WRITTEN = "train", "held_out", "unseen", "left_out", "written"
SPLITS = (TRAIN, HELD_OUT, UNSEEN, LEFT_OUT)
FOLDED = (STORY, QUESTION, ASKED, SHORT, FORUM)  # lay texts are in the index: no reader does without them

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Example:
    """A text and its answers.

    ``golds``: rows of the chunks of each provision that applies, the primary first. ``day``: number of the
    mask of what was law. ``split``: ``train``, ``held_out`` (a provision kept back) or ``unseen`` (an Act
    kept back).
    """

    id: str
    kind: str
    text: str
    golds: tuple[tuple[int, ...], ...]
    day: int
    split: str


@dataclass(frozen=True)
class Examples:
    """All texts that can be learned from or measured with.

    Attributes
    ----------
    law
        Rows that were law, by day: bool, shape (chunks,).
    shown
        Rows that may be shown as wrong answers: neither of an Act nor of a provision kept back.
    provision_of
        Number of the provision of each row, shape (chunks,).
    lost
        Texts of which no provision is in the build.
    """

    items: tuple[Example, ...]
    law: tuple[Mask, ...]
    shown: Mask
    provision_of: npt.NDArray[np.int64]
    lost: int

    def split(self, name: str) -> list[Example]:
        """The texts of a split."""
        return [example for example in self.items if example.split == name]


def part_of(name: str, parts: int) -> int:
    """Which of some equal parts a name falls into: the name alone decides."""
    return int(_drawn(name) * parts)


def make_examples(
    build: PublishedBuild,
    lay: Iterable[LayQueries],
    questions: Mapping[str, Iterable[Question | Story]],
    config: TrainConfig,
) -> Examples:
    """Texts with the rows that answer them, split by provision and by Act.

    A text about a replaced Act is of the last day on which that was law, a dated question of its day. A story
    or question of which one provision is kept back is kept back itself.

    ``questions``: and stories, by kind. Of those to which nothing applies nothing can be learned here.
    """
    texts: list[tuple[str, str, str, tuple[Citation, ...], date | None]] = []
    for queries in lay:
        label = queries.citation.label
        texts += [
            (f"{label}/{style}", style, text, (queries.citation,), None) for style, text in queries.texts
        ]
    for kind, records in questions.items():
        texts += [(r.id, kind, r.text, r.applicable, r.incident_date) for r in records if r.applicable]
    rows_of: dict[str, list[int]] = {}
    for row, cited in enumerate(build.citations.values()):
        if cited is not None:
            rows_of.setdefault(cited, []).append(row)
    days: dict[date, int] = {}
    law: list[Mask] = []
    items: list[Example] = []
    lost = 0
    for name, kind, text, citations, dated in texts:
        day = dated or last_day(build, citations, config.day)
        if day not in days:
            days[day] = len(law)
            law.append(build.eligible(day) & build.citable)
        mask = law[days[day]]
        golds = [_rows(build, citation, rows_of, mask) for citation in citations]
        if not golds[0]:
            lost += 1
            continue
        split = _split(citations, config)
        items.append(Example(name, kind, text, tuple(g for g in golds if g), days[day], split))
    held_out = _kept_back(build, rows_of, (c for *_, citations, _ in texts for c in citations), config)
    shown = np.ones(len(build.citable), dtype=bool)
    shown[held_out] = False
    numbers = {cited: n for n, cited in enumerate(rows_of)}
    provision_of = np.array([numbers.get(c or "", -1) for c in build.citations.values()], dtype=np.int64)
    return Examples(tuple(items), tuple(law), shown, provision_of, lost)


def last_day(build: PublishedBuild, citations: Iterable[Citation], as_of: date) -> date:
    """The day ``as_of``, or the last one on which the first of the provisions to be replaced was law."""
    ends = [end for citation in citations if (end := build.last_day(citation.act)) is not None]
    return min([as_of, *ends])


def _rows(
    build: PublishedBuild, citation: Citation, rows_of: Mapping[str, Sequence[int]], mask: Mask
) -> tuple[int, ...]:
    provisions = build.labelled(citation.act, citation.section)
    return tuple(row for provision in provisions for row in rows_of.get(provision, ()) if mask[row])


def _split(citations: Sequence[Citation], config: TrainConfig) -> str:
    if any(citation.act in config.unseen for citation in citations):
        return UNSEEN
    return HELD_OUT if any(_is_held_out(citation.label, config) for citation in citations) else TRAIN


def _is_held_out(label: str, config: TrainConfig) -> bool:
    """Whether a provision is kept back: by its name alone, so that no other provision moves it."""
    return _drawn(f"{config.seed}/{label}") < config.held_out


def _drawn(name: str) -> float:
    """A number from 0 to 1 that the name alone decides."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64


def _kept_back(
    build: PublishedBuild,
    rows_of: Mapping[str, Sequence[int]],
    citations: Iterable[Citation],
    config: TrainConfig,
) -> list[int]:
    """Rows of the Acts and provisions of which nothing may be learned."""
    held_out = {
        p for c in citations if _is_held_out(c.label, config) for p in build.labelled(c.act, c.section)
    }
    return [
        row
        for provision, rows in rows_of.items()
        if provision in held_out or provision.partition("/")[0] in config.unseen
        for row in rows
    ]


def with_joined(examples: Examples, share: float, seed: int) -> Examples:
    """The same with lay texts of two provisions joined to one text, both of them answers.

    ``share``: of the number of texts that are learned from.
    """
    single = [e for e in examples.split(TRAIN) if len(e.golds) == 1]
    rng = np.random.default_rng(seed)
    joined = []
    for n in range(round(share * len(single))):
        first, second = (single[i] for i in rng.choice(len(single), 2, replace=False))
        if first.golds == second.golds or first.day != second.day:
            continue
        text = f"{first.text} {second.text}"
        joined.append(Example(f"joined-{n}", "joined", text, first.golds + second.golds, first.day, TRAIN))
    return replace(examples, items=(*examples.items, *joined))


def learned_row(
    identifier: str, kind: str, split: str, before: Sequence[int], after: Sequence[int]
) -> dict[str, Any]:
    """A row of ``learned``: where the answers of a text stand before and after, the primary first."""
    return {
        "id": identifier,
        "kind": kind,
        "split": split,
        "rank_before": before[0],
        "rank_after": after[0],
        "worst_before": max(before),
        "worst_after": max(after),
        "best_before": min(filter(None, before)),
        "best_after": min(filter(None, after)),
    }


def ranks(vectors: Matrix, passages: Matrix, examples: Sequence[Example], all_: Examples) -> npt.NDArray[Any]:
    """Rank of each answer of each text among the provisions that were law, by cosine.

    ``vectors``: of the texts: shape (examples, dimension). ``passages``: of all chunks: shape (chunks,
    dimension).

    Returns
    -------
    numpy.ndarray
        int, shape (examples, most answers of a text); 0 where a text has fewer.
    """
    order = np.argsort(all_.provision_of, kind="stable")
    sorted_ = all_.provision_of[order]
    starts = np.flatnonzero(np.r_[True, sorted_[1:] != sorted_[:-1]])
    at = {int(p): i for i, p in enumerate(sorted_[starts])}
    out = np.zeros((len(examples), max((len(e.golds) for e in examples), default=1)), dtype=np.int64)
    for i, (vector, example) in enumerate(zip(vectors, examples, strict=True)):
        scores = np.where(all_.law[example.day], passages @ vector, -np.inf)
        best = np.maximum.reduceat(scores[order], starts)
        for j, rows in enumerate(example.golds):
            score = best[at[int(all_.provision_of[rows[0]])]]
            out[i, j] = 1 + int((best > score).sum())
    return out


_SPLITS = {
    HELD_OUT: "provisions kept back",
    UNSEEN: "Acts kept back",
    WRITTEN: "Acts kept back, lay texts",
    LEFT_OUT: "texts left out",
}
_METRICS = {"first": "first", "in_5": "among 5", "in_20": "among 20", "any": "any that applies first"}
_OF_BENCHMARKS = {LEFT_OUT: "at home", UNSEEN: "abroad", WRITTEN: "abroad, lay texts"}
SIDES = {READER: ("base", "reader"), RERANKER: ("by vectors", "reranked"), RANKER: ("by ranks", "ranked")}
"""What is compared."""


@dataclass(frozen=True)
class Gain:
    """A measure of what was kept back: by the base model and the reader, or by vectors and reranked.

    ``split``, ``metric``: ``held_out``, ``unseen``, ``written`` or ``left_out``; ``first``, ``in_5`` or
    ``in_20``, of the primary provision, or ``any`` that applies first. ``n``: texts; the ``n`` of the
    intervals are provisions and stories, which are what is drawn. ``before``, ``after``, ``gained``: mean
    over them of the share of texts, before and after, and the paired difference. ``benchmark``: whose texts
    they are; empty for those that are learned from.
    """

    split: str
    metric: str
    n: int
    before: Interval
    after: Interval
    gained: Paired
    benchmark: str = ""

    @property
    def label(self) -> str:
        """What is measured."""
        of_benchmark = f"{self.benchmark} {_OF_BENCHMARKS[self.split]}" if self.benchmark else ""
        return f"{of_benchmark or _SPLITS[self.split]}, {_METRICS[self.metric]}"

    @property
    def cells(self) -> tuple[str, str, str]:
        """Before, after and difference in percent with their intervals."""
        gained = self.gained
        difference = f"{100 * gained.difference:+.1f} [{100 * gained.lo:.1f}, {100 * gained.hi:.1f}]"
        return _percent(self.before), _percent(self.after), difference


def _percent(share: Interval) -> str:
    return f"{100 * share.value:.1f} [{100 * share.lo:.1f}, {100 * share.hi:.1f}]"


def model_card(
    config: TrainConfig,
    base: ModelFiles,
    sha256: Mapping[str, str],
    size: int,
    counts: Mapping[str, int],
    gains: Sequence[Gain],
) -> str:
    """The card as Markdown.

    ``sha256``, ``size``: digest of each file that a configuration names, and bytes of them all. ``counts``:
    texts by split.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("citegrain.tasks.train"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 Markdown, of our own values
    )
    return environment.get_template("card.md").render(
        config=config,
        base=base,
        sha256=sha256,
        megabytes=size / 1e6,
        counts=counts,
        gains=gains,
        sides=SIDES[config.kind],
    )
