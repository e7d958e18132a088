"""Our figures: of a build for each quantity of the thesis' Table 4.1, of a study its accuracies."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citegrain.tasks.core.schemas import (
    CHUNKS,
    JUDGMENTS,
    PAGES,
    REFERENCES,
    SCORES,
    SHARES,
    SUMMARY,
    TAGS,
    per_configuration,
)
from citegrain.tasks.evaluation.compare import Interval, bca
from citegrain.tasks.evaluation.studies import StudyReadError, read_study, study_folders
from citegrain.tasks.law.citations import CITABLE
from citegrain.tasks.offline.index import DENSE
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.published.reproduce.documents import number

ENCODER_READS = 382
"""Word pieces of text that all-mpnet-base-v2, the thesis' encoder, reads of a passage."""


@dataclass(frozen=True)
class MeasuredFigure:
    """A figure of ours; ``n`` where it counts a part of something."""

    value: float
    n: int | None = None
    digits: int = 0
    unit: str = ""

    @property
    def share(self) -> float:
        """The share of ``n``, else the figure itself; NaN of nothing."""
        if self.n is None:
            return self.value
        return self.value / self.n if self.n else math.nan

    @property
    def text(self) -> str:
        """``12,490``, or ``53 of 3,853 (1.4%)``."""
        text = f"{number(self.value, self.digits)} {self.unit}".strip()
        if self.n is None:
            return text
        return f"{text} of {self.n:,} ({number(100 * self.share, 2 if self.share < 0.01 else 1)}%)"


def measure(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    """Every figure by name; names are ids of ``data/published`` where a document prints the figure.

    Lengths are in tokens of the build's encoder; ``index_mb`` is the file of the dense index in 10^6
    bytes; ``with_pattern`` counts what the thesis' pattern ``Section <number>`` finds in the text.
    """
    return {
        **_documents(build), **_lengths(build), **_tags(build), **_references(build), **_graph(build),
    }  # fmt: skip


def _documents(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    status = build.table(PAGES).column("status").to_pylist()
    lost = sum(s in ("image_only", "unreadable") for s in status)
    counts, files = build.manifest["counts"], build.manifest["files"]
    index_bytes = sum(file["bytes"] for name, file in files.items() if name.startswith(f"{DENSE}/"))
    return {
        "documents": MeasuredFigure(counts["documents"]),
        "pages": MeasuredFigure(len(status)),
        "pages_without_text": MeasuredFigure(lost, len(status)),
        "dimension": MeasuredFigure(int(build.manifest["dimension"])),
        "index_mb": MeasuredFigure(index_bytes / 1e6, digits=1, unit="MB"),
        "vectors": MeasuredFigure(len(build.chunk_ids), counts["chunks"]),
    }


def _lengths(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    columns = build.table(CHUNKS).select(["n_tokens", "text"]).to_pydict()
    tokens = np.array(columns["n_tokens"], dtype=np.int64)
    total, chars = int(tokens.sum()), sum(map(len, columns["text"]))
    pages = build.table(PAGES).num_rows
    if not len(tokens):
        tokens = np.array([math.nan])
    return {
        "chunks": MeasuredFigure(len(columns["text"])),
        "mean_tokens": MeasuredFigure(float(tokens.mean())),
        "median_tokens": MeasuredFigure(float(np.median(tokens))),
        "sd_tokens": MeasuredFigure(float(tokens.std())),
        "tokens": MeasuredFigure(total),
        "chars_a_page": MeasuredFigure(chars / pages if pages else math.nan),
        "long_chunks": MeasuredFigure(int((tokens > ENCODER_READS).sum()), len(columns["text"])),
        "unread_tokens": MeasuredFigure(float(np.nansum(np.maximum(tokens - ENCODER_READS, 0))), total),
    }


def _tags(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    names = ["chunk_id", "act_id", "section", "kind", "thesis_section"]
    columns = build.table(TAGS).select(names).to_pydict()
    n = len(columns["chunk_id"])
    sections = [bool(s) for s in columns["section"]]
    numbered = [s for s, kind in zip(sections, columns["kind"], strict=True) if kind in CITABLE]
    searched = [s for s, c in zip(sections, columns["chunk_id"], strict=True) if c in build.rows]
    return {
        "with_act": MeasuredFigure(sum(map(bool, columns["act_id"])), n),
        "with_section": MeasuredFigure(sum(sections), n),
        "with_pattern": MeasuredFigure(sum(s is not None for s in columns["thesis_section"]), n),
        "numbered_with_section": MeasuredFigure(sum(numbered), len(numbered)),
        "searched_with_section": MeasuredFigure(sum(searched), len(searched)),
    }


def _references(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    resolved = build.table(REFERENCES).column("resolved").to_pylist()
    return {"references_resolved": MeasuredFigure(sum(r == "provision" for r in resolved), len(resolved))}


def _graph(build: PublishedBuild) -> dict[str, MeasuredFigure]:
    """Provisions that can be cited, judgments, and edges that lead to the provision or judgment named."""
    nodes = build.graph_tables["nodes"].select(["node_id", "kind", "document_id"]).to_pylist()
    cases = {node["node_id"] for node in nodes if node["kind"] == "judgment"}
    provisions = {node["node_id"] for node in nodes if node["kind"] in CITABLE}
    edges = build.graph_tables["edges"].select(["source_id", "target_id", "kind", "reason"]).to_pylist()
    pairs = {(e["source_id"], e["target_id"], e["kind"]) for e in edges if not e["reason"] and e["target_id"]}
    kinds = Counter(kind for source, target, kind in pairs if {source, target} <= provisions)
    judgments = build.table(JUDGMENTS).to_pylist()
    return {
        "sections": MeasuredFigure(len(provisions)),
        "has_section": MeasuredFigure(
            sum(bool(n["document_id"]) for n in nodes if n["node_id"] in provisions)
        ),
        "references": MeasuredFigure(kinds["cites"]),
        "derived_from": MeasuredFigure(kinds["derived_from"]),
        "cases": MeasuredFigure(len(cases)),
        "case_edges": MeasuredFigure(len({(s, t) for s, t, _ in pairs if {s, t} <= cases})),
        "cases_dated": MeasuredFigure(sum(bool(row["date"]) for row in judgments), len(judgments)),
        "cases_with_bench": MeasuredFigure(sum(bool(row["bench"]) for row in judgments), len(judgments)),
    }


def chunk_parameters(build: PublishedBuild, store: Path) -> dict[str, Any] | None:
    """Parameters of the chunks of a build, as the store recorded them; None if it did not."""
    uses: Sequence[str] = build.manifest.get("uses", ())
    for stage, _, key in (use.partition("/") for use in uses):
        if stage == "chunk":
            try:
                manifest = json.loads((store / stage / key / "manifest.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            return {k: v for k, v in manifest["key"]["params"].items() if k != "titles"}
    return None


METRICS = ("primary_accuracy", "complete_accuracy", "source_accuracy", "page_accuracy")
GRID_METRICS = ("similarity", "source_accuracy", "cited_page_accuracy", "extracted", "other_language")
_PREFERRED = ("thesis", "default")


@dataclass(frozen=True)
class Accuracy(Interval):
    """A mean over ``n`` queries with its 95% interval."""

    def text(self, scale: int = 1, digits: int = 3) -> str:
        """``0.444 [0.315, 0.575]``; without the interval where there is none."""
        unit = "%" if scale == 100 else ""
        text = number(scale * self.value, digits) + unit
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo == self.hi:
            return text
        return f"{text} [{number(scale * self.lo, digits)}, {number(scale * self.hi, digits)}]"


@dataclass(frozen=True)
class Study:
    """A study: where it was measured, and its accuracies by configuration and metric."""

    name: str
    corpus: str
    benchmark: str
    split: str
    in_scope: int
    configurations: Mapping[str, Mapping[str, Accuracy]]

    @property
    def configuration(self) -> str:
        """The one that stands for the thesis: the first of the preferred that was measured, else of all."""
        have = list(self.configurations)
        return next((name for name in _PREFERRED if name in have), have[0])

    def accuracies_of(self, experiment: str) -> Mapping[str, Accuracy]:
        """By metric, of what stands for a published system; for the thesis the configuration above."""
        return self.configurations.get(self.configuration if experiment in _PREFERRED else experiment, {})

    @property
    def has_rows(self) -> bool:
        """Whether a configuration has one of ``METRICS``."""
        return any(metric in accuracies for accuracies in self.configurations.values() for metric in METRICS)

    @property
    def line(self) -> str:
        """What was measured, on what."""
        return (
            f"study {self.name}: benchmark {self.benchmark} ({self.split}), {self.in_scope} complaints in "
            f"scope, build {self.corpus}"
        )

    def rows(self) -> list[tuple[str, ...]]:
        """A row a configuration: its name, and each of ``METRICS`` with its interval."""
        return [
            (name, *(accuracies[m].text() if m in accuracies else "-" for m in METRICS))
            for name, accuracies in self.configurations.items()
        ]


def find_study(reports: Path, corpus: str, name: str = "") -> Study | None:
    """The study named, else the last written on this corpus, on a test split if there is such a one."""
    if name:
        study = _read(reports / name)
        if study is None or not study.has_rows:
            raise FileNotFoundError(f"{name}: there is no study of this name with scores")
        return study
    studies = [s for s in map(_read, study_folders(reports)) if s and s.corpus == corpus and s.has_rows]
    return max(reversed(studies), key=lambda s: s.split == "test", default=None)


def accuracies_of(reports: Path, experiment: str, benchmark: str) -> Mapping[str, Accuracy]:
    """By metric, of the last study of a published system, on a benchmark or on any; none where none is.

    ``NAME.METRIC`` is of another configuration, of the last study that has it beside the system.
    """
    studies = [study for study in map(_read, study_folders(reports)) if study is not None]
    out: dict[str, Accuracy] = {}
    for study in studies:
        if benchmark in ("", study.benchmark) and experiment in study.configurations:
            out = {name: accuracy for name, accuracy in out.items() if "." in name}
            for name, figures in study.configurations.items():
                prefix = "" if name == experiment else f"{name}."
                out |= {f"{prefix}{metric}": accuracy for metric, accuracy in figures.items()}
    return out


def _read(folder: Path) -> Study | None:
    """A study; None where it cannot be read or nothing in it was scored."""
    try:
        study = read_study(folder, [SUMMARY, SHARES])
    except StudyReadError:
        return None
    configurations: dict[str, dict[str, Accuracy]] = {}
    for row in study.rows(SUMMARY.name):
        accuracy = Accuracy(row["value"], row["lo"], row["hi"], row["n"])
        configurations.setdefault(row["configuration"], {})[row["metric"]] = accuracy
    for row in study.rows(SHARES.name):
        share = Accuracy(row["share"], math.nan, math.nan, row["n"])
        configurations.setdefault(row["configuration"], {})[f"share.{row['group']}.{row['channel']}"] = share
    facts, benchmark = study.facts, study.facts["benchmark"]
    place = (facts["study"], facts["corpus"], benchmark["name"], benchmark["split"], benchmark["in_scope"])
    return Study(*place, configurations) if configurations else None


def grid_figures(folder: Path) -> Mapping[str, Accuracy]:
    """Means of a study by ``metric`` and ``metric.group``; none where it cannot be read.

    A group is a mode (``closed``, ``open``), a template (``template_4``), or a category of questions. The
    configurations of a group are averaged for each question, and the interval is over questions: answers to
    one question by several prompts are not independent.
    """
    try:
        study = read_study(folder, [per_configuration(SCORES)])
    except StudyReadError:
        return {}
    modes = {}
    for name, facts in study.facts["configurations"].items():
        config = GenerateConfig(**facts["config"]["generate"])
        modes[name] = ("open" if config.open_knowledge else "closed", f"template_{config.template_id}")
    categories = {
        query: [group for dimension, group in facts["groups"] if dimension == "category"]
        for query, facts in study.facts["questions"].items()
    }
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in study.rows(SCORES.name):
        metric, query = row["metric"], row["query_id"]
        if metric in GRID_METRICS:
            for group in ("", *modes[row["configuration"]], *categories[query]):
                values[f"{metric}.{group}".rstrip(".")][query].append(row["value"])
    seed = int(study.facts["seed"])
    return {
        name: Accuracy(*astuple(bca([sum(each) / len(each) for each in by_query.values()], seed)))
        for name, by_query in values.items()
    }
