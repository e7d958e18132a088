"""Published systems on the questions that they were made for, over real documents."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade

pytestmark = [pytest.mark.slow, pytest.mark.corpus, pytest.mark.model]
JUDGMENTS = (
    "aditi_mithi_2023 dk_basu_1996 electrosteel_2021 experion_2022 glaxo_2020 hussainara_1979 ireo_grace_2021 "
    "kejriwal_ed_2024 keshav_mills_1953 manish_sisodia_2024 manoj_kumar_2024 muniappan_1981 navneet_kaur_2014 "
    "newtech_2021 pankaj_bansal_2023 paul_rubber_2023 rp_kapur_1961 sebastian_hongray_1983 skoda_2020 "
    "vihaan_kumar_2025 zarina_begum_mp_hc_2021"
).split()
ACTS = (
    "constitution_of_india indian_penal_code_1860 code_of_criminal_procedure_1973 hindu_marriage_act_1955 "
    "prevention_of_money_laundering_act_2002 arbitration_and_conciliation_act_1996 consumer_protection_act_2019 "
    "real_estate_regulation_and_development_act_2016"
).split()


def questions(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(file).read_text("utf-8").splitlines()]


def answered(
    folder: Path, files: Sequence[Path], rows: Sequence[Mapping[str, Any]], *overrides: str
) -> tuple[PublishedBuild, dict[str, Ranked]]:
    """The build of some files, and what is given for each question."""
    (folder / "pdf").mkdir()
    for file in files:
        shutil.copy(file, folder / "pdf")
    where = [f"corpus.path='{folder}/pdf'", "corpus.name=x", f"artifacts='{folder}/artifacts'"]
    settings = load_settings(["corpus=folder", *where, *overrides])
    run_index(settings, Silent())
    build = PublishedBuild.open(folder / "artifacts/builds/x")
    result = Cascade(build, settings.cascade).run({row["id"]: row["text"] for row in rows})
    return build, rankings(result.tables["selected"])


def test_civicsetu_gives_the_section_and_what_punishes_or_carries_it_out(
    shared: Path, tmp_path: Path
) -> None:
    rows = questions("rera_questions.jsonl")  # near: one of them is right beside what the question names
    files = [*(shared / "corpus/rules").glob("*.pdf"), *(shared / "corpus/acts").glob("real_estate*.pdf")]
    build, given = answered(tmp_path, files, rows, "experiment=civicsetu", "rerank=plain")
    cited = {query: [build.citations[chunk] for chunk, _ in ranked] for query, ranked in given.items()}
    assert all(row["names"] == cited[row["id"]][0] for row in rows)
    missed = [row["id"] for row in rows if not set(row["near"]) & set(cited[row["id"]])]
    assert len(rows) == 30 and len(missed) <= 6, missed


def test_kg_citerag_by_case_judge_year_provision_and_act(shared: Path, tmp_path: Path) -> None:
    rows = questions("case_questions.jsonl")  # right: judgments by their files, provisions by their ids
    files = [shared / "corpus/judgments" / f"{name}.pdf" for name in JUDGMENTS]
    files += [shared / "corpus/acts" / f"{name}.pdf" for name in ACTS]
    build, given = answered(tmp_path, files, rows, "experiment=kg_citerag")
    stems = {act["act_id"]: Path(build.paths[act["document_id"]]).stem for act in build.acts}
    names = {chunk: {stems[build.act_ids[row]], build.citations[chunk]} for chunk, row in build.rows.items()}
    missed = [
        row["id"]
        for row in rows
        if not any(names[chunk] & set(row["right"]) for chunk, _ in given[row["id"]][:10])
    ]
    assert len(rows) == 120 and len(missed) <= 12, missed
