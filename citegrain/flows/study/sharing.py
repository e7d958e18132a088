"""A benchmark and its results as others read them: a folder of BEIR, a task and results of MTEB.

A document is a provision that is law on the day of any query, once a version. A query is judged by the
version of its day; what applies and is not in the build keeps its label, so that it counts as not found.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any

from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.benchmark import Benchmark, BenchmarkError, Citation, write_beir
from citegrain.tasks.evaluation.score import SHARED_METRICS, GoldItem, GoldQuery
from citegrain.tasks.evaluation.studies import StudyFolder
from citegrain.tasks.online.builds import PublishedBuild

TASK = Path(__file__).parents[2] / "tasks" / "evaluation" / "report" / "templates" / "mteb_task.txt"
_MAIN = "ndcg_at_10"


@dataclass(frozen=True)
class _Collection:
    """The provisions of a build that are law on any of some days."""

    build: PublishedBuild
    days: frozenset[date | None]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Rows of ``provisions``, in the order of the build."""
        return self.build.law_of(self.days)

    @cached_property
    def names(self) -> dict[tuple[str, date | None], str]:
        """Ids of documents by provision and version: the provision's, with the version if it has several."""
        versions = Counter(row["provision_id"] for row in self.rows)
        pairs = [(row["provision_id"], row["version_date"]) for row in self.rows]
        return {(p, day): p if versions[p] == 1 else f"{p}@{day}" for p, day in pairs}

    def documents(self, labels: Mapping[str, Citation]) -> Iterable[dict[str, Any]]:
        """The documents; ``labels``: how the benchmark cites a provision, by its id."""
        for row in self.rows:
            provision, version = row["provision_id"], row["version_date"]
            act, label = self.build.act(row["act_id"], version), labels.get(provision)
            facts = {"act": label.act, "section": label.section} if label else {}
            facts |= {"version": str(version)} if version else {}
            title = f"{act['title']}, {row['kind']} {row['number']}: {row['heading']}"
            text = f"{row['heading']}. {row['text']}" if row["heading"] else row["text"]
            yield {
                "_id": self.names[provision, version],
                "title": title.rstrip(": "),
                "text": text,
                "metadata": facts,
            }

    def names_of(self, item: GoldItem, day: date | None) -> list[str]:
        """Ids of the documents of what applies on a day; its label where the build has none."""
        law = [p for p in item.provisions if day and self.build.in_force(p, day)]
        rows = [self.build.on_day(p, day)[0] for p in law if day]
        names = [self.names.get((p, row["version_date"]), p) for p, row in zip(law, rows, strict=True)]
        return names or [item.label]


def write_benchmark(
    benchmark: Benchmark,
    build: PublishedBuild,
    gold: Sequence[GoldQuery],
    as_of: Mapping[str, date | None],
    folder: Path,
) -> None:
    """Write a benchmark over the provisions of a build as a folder of BEIR.

    ``gold``: of its queries in the build; ``as_of``: day whose law applies, by query id.
    Raises BenchmarkError where no provision is gold, OSError if a file cannot be written.
    """
    if not any(query.in_scope for query in gold):
        raise BenchmarkError(f"{benchmark.name}: no query has a provision as gold, so nothing can be judged")
    law = _Collection(build, frozenset(as_of.values()))
    judged = {
        query.query_id: {
            name: item.grade for item in query.items for name in law.names_of(item, as_of[query.query_id])
        }
        for query in gold
    }
    labels = {p: item.citation for query in gold for item in query.items for p in item.provisions}
    write_beir(benchmark, law.documents(labels), judged, folder)


def write_results(study: StudyFolder, folder: Path) -> list[Path]:
    """Write a task of MTEB, and the results of each configuration in MTEB's JSON; the files' paths.

    Each score is the mean over the queries in scope, with the ends of its 95% interval and n.
    """
    facts = study.facts["benchmark"]
    name = "Citegrain" + "".join(part.capitalize() for part in facts["name"].replace("-", "_").split("_"))
    about = f"{facts['description'] or facts['name']}: provisions of {study.facts['corpus']}"
    values = {"name": name, "description": about, "quoted": json.dumps(about), "main": _MAIN}
    values |= {"split": facts["split"], "revision": facts["sha256"]}
    files = [folder / "task.py"]
    write_atomically(files[0], Template(TASK.read_text(encoding="utf-8")).substitute(values))
    for configuration in study.scored:
        scores: dict[str, Any] = {}
        for metric in SHARED_METRICS:
            if row := study.cells.get((configuration, metric)):
                key = metric.replace("_", "_at_")
                scores |= {key: row["value"], f"{key}_lo": row["lo"], f"{key}_hi": row["hi"], "n": row["n"]}
        if _MAIN in scores:
            scores |= {"main_score": scores[_MAIN], "hf_subset": "default", "languages": ["eng-Latn"]}
            results = {"dataset_revision": facts["sha256"], "task_name": name, "mteb_version": None}
            results |= {"scores": {facts["split"]: [scores]}, "evaluation_time": None}
            build = str(study.facts["configurations"][configuration]["build"])
            place = folder / "results" / f"citegrain__{configuration}" / build
            model = {"name": f"citegrain/{configuration}", "revision": build}  # without it nothing is loaded
            for file, facts_of in ((f"{name}.json", results), ("model_meta.json", model)):
                files.append(place / file)
                write_atomically(files[-1], json.dumps(facts_of, indent=1) + "\n")
    return files
