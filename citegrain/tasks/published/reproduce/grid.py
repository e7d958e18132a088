"""Our figures of a grid of prompts (paper-QA, Tables 5.1 to 5.3): by mode, template and category."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from citegrain.tasks.core.schemas import SCORES, per_configuration
from citegrain.tasks.evaluation.compare import bca
from citegrain.tasks.evaluation.studies import StudyReadError, read_study
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.published.reproduce.ours import Accuracy

METRICS = ("similarity", "source_accuracy", "cited_page_accuracy", "extracted", "other_language")


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
    modes = {name: list(_groups(facts["config"])) for name, facts in study.facts["configurations"].items()}
    categories = {
        query: [group for dimension, group in facts["groups"] if dimension == "category"]
        for query, facts in study.facts["questions"].items()
    }
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in study.rows(SCORES.name):
        metric, query = row["metric"], row["query_id"]
        if metric in METRICS:
            for group in ("", *modes[row["configuration"]], *categories[query]):
                values[f"{metric}.{group}".rstrip(".")][query].append(row["value"])
    seed = int(study.facts["seed"])
    return {name: _mean(by_query, seed) for name, by_query in values.items()}


def _groups(config: Mapping[str, Any]) -> Iterator[str]:
    generate = GenerateConfig(**config["generate"])
    yield "open" if generate.open_knowledge else "closed"
    yield f"template_{generate.template_id}"


def _mean(by_query: Mapping[str, list[float]], seed: int) -> Accuracy:
    interval = bca([sum(values) / len(values) for values in by_query.values()], seed)
    return Accuracy(interval.value, interval.lo, interval.hi, interval.n)
