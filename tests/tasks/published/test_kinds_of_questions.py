"""Published systems on the questions that they were made for, over real documents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.evaluation.benchmark import open_benchmark
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade

pytestmark = [pytest.mark.slow, pytest.mark.corpus, pytest.mark.model]
ACTS = (
    "constitution_of_india indian_penal_code_1860 code_of_criminal_procedure_1973 hindu_marriage_act_1955 "
    "prevention_of_money_laundering_act_2002 arbitration_and_conciliation_act_1996 consumer_protection_act_2019 "
    "real_estate_regulation_and_development_act_2016"
).split()


def answered(
    folder: Path, files: Sequence[Path], benchmark: str, *overrides: str
) -> dict[str, tuple[list[set[str]], list[str | None]]]:
    """What each label of each question means in a build of some files, and what is given, in order."""
    (folder / "pdf").mkdir()
    for file in files:
        shutil.copy(file, folder / "pdf")
    where = [f"corpus.path='{folder}/pdf'", "corpus.name=x", f"artifacts='{folder}/artifacts'"]
    settings = load_settings(["corpus=folder", *where, *overrides])
    run_index(settings, Silent())
    build = PublishedBuild.open(folder / "artifacts/builds/x")
    config = load_settings([f"benchmark={benchmark}"]).benchmark
    records = open_benchmark(config)
    result = Cascade(build, settings.cascade).run({record.id: record.text for record in records})
    given = rankings(result.tables["selected"])
    labels = {r.id: [set(build.labelled(c.act, c.section)) for c in r.applicable] for r in records}
    assert all(all(of_question) for of_question in labels.values())
    return {
        query: (of_question, [build.citations[chunk] for chunk, _ in given[query]])
        for query, of_question in labels.items()
    }


def test_civicsetu_gives_the_section_and_what_punishes_or_carries_it_out(
    shared: Path, tmp_path: Path
) -> None:
    files = [*(shared / "corpus/rules").glob("*.pdf"), *(shared / "corpus/acts").glob("real_estate*.pdf")]
    given = answered(tmp_path, files, "rera", "experiment=civicsetu", "rerank=plain")
    assert all(cited[0] in labels[0] for labels, cited in given.values())
    missed = [query for query, (labels, cited) in given.items() if not set.union(*labels[1:]) & set(cited)]
    assert len(given) == 30 and len(missed) <= 6, missed


def test_kg_citerag_by_case_judge_year_provision_and_act(shared: Path, tmp_path: Path) -> None:
    files = [*(shared / "corpus/judgments").glob("*.pdf")]
    files += [shared / "corpus/acts" / f"{name}.pdf" for name in ACTS]
    given = answered(tmp_path, files, "cases", "experiment=kg_citerag")
    missed = [query for query, (labels, cited) in given.items() if not set.union(*labels) & set(cited[:10])]
    assert len(given) == 120 and len(missed) <= 12, missed
