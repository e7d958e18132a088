"""The command that compares published tables with ours: ``citegrain reproduce``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citegrain.flows.cli.terminal import (
    AsJson,
    DryRun,
    Overrides,
    Terminal,
    fail,
    in_one_line,
    json_text,
    line,
    out,
    published,
    rendered,
    settings_of,
    shown,
    write_report,
)
from citegrain.tasks.core.paths import DATA

if TYPE_CHECKING:
    from citegrain.flows.shared.library import Build
    from citegrain.flows.shared.settings import Settings
    from citegrain.tasks.published.reproduce import Document, MeasuredFigure, OurFigures, Report, Study

_THESIS = ["experiment=thesis"]
_DOCUMENTS = ("thesis", "paper_qa", "civicsetu", "kg_citerag", "guide")
_GROUPS = ("chunk", "embed", "index", "retrieve", "fuse", "expand", "rerank", "select", "generate")
_STYLES = {"reproduced": "green", "differs": "yellow", "not reproducible": "dim", "not measured": "dim"}


def reproduce(
    overrides: Overrides = None,
    as_json: AsJson = False,
    study: Annotated[str, typer.Option(help="Study that gives our accuracy; else that of the build.")] = "",
    to: Annotated[str, typer.Option(help="File of the report; else reports/reproduce.md.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Show what five published systems report beside ours.

    On a corpus, else on the embedded one. corpus.name=NAME alone takes a build as it is and makes nothing.
    """
    from pydantic_core import from_json, to_json

    from citegrain.tasks.core.schemas import SchemaError
    from citegrain.tasks.online.builds import BuildError
    from citegrain.tasks.published.reproduce import load_document, markdown

    words = published(overrides)
    documents = [load_document(DATA / f"published/{name}.yaml") for name in _DOCUMENTS]
    remarks: list[str] = []
    if "corpus=published" in words:
        settings = settings_of(words)
        folder = settings.builds_folder / settings.corpus.name
    else:
        settings, folder, study, remarks = _reproduced(words, study, dry_run)
    try:
        report = _report(documents, settings, folder, study, remarks)
    except (BuildError, FileNotFoundError, SchemaError) as error:
        fail(str(error), 1)
    file = Path(to) if to else settings.reports_folder / "reproduce.md"
    write_report(file, markdown(report))
    if as_json:
        # JSON has no NaN
        typer.echo(json_text(from_json(to_json(report.as_json(), inf_nan_mode="null")), 1))
        return
    _show(report)
    out.print(f"written to {shown(file)}", soft_wrap=True)


def _reproduced(words: list[str], study: str, dry_run: bool) -> tuple[Settings, Path, str, list[str]]:
    """Settings, build and study of the thesis' pipeline, made where they are missing, and remarks on them."""
    from citegrain.flows.index.inputs import prepare
    from citegrain.flows.index.run import plan_index
    from citegrain.flows.shared.settings import SettingsError
    from citegrain.flows.study.reproduce import make_reproduction, measure_papers, plan_reproduction
    from citegrain.tasks.published.reproduce import find_study

    try:
        planned = plan_reproduction(words)
    except SettingsError as error:
        fail(str(error), 2)
    settings = settings_of(planned.overrides)
    try:  # before anything is made
        find_study(settings.reports_folder, "", study)
    except FileNotFoundError as error:
        fail(str(error), 1)
    with in_one_line(settings.artifacts_folder):
        if dry_run:
            line("\n".join([plan_index(prepare(settings)).in_words, *planned.remarks]))
            raise typer.Exit
        folder, measured = make_reproduction(planned, Terminal(), sys.argv[1:])
        papers = measure_papers(words, Terminal())
    without = [line for one in (measured, papers) for member in one.members for line in member.went_without]
    remarks = [*planned.remarks, *without]
    if absent := measured.warnings:
        remarks.append(
            f"the benchmark cites {len(absent)} things that this corpus lacks; benchmark= takes another"
        )
    return settings, folder, study or measured.name, remarks


def _report(
    documents: list[Document], settings: Settings, folder: Path, study_name: str, remarks: list[str]
) -> Report:
    from citegrain.flows.shared.library import Build
    from citegrain.flows.study.reproduce import PAPERS_STUDY
    from citegrain.tasks.published.reproduce import (
        accuracies_of,
        find_study,
        grid_figures,
        make_report,
        measure,
    )

    build = Build.open(folder, settings.models_folder)
    study = find_study(settings.reports_folder, folder.name, study_name)
    ours = our_figures([document.experiment for document in documents], measure(build), study)
    for document in documents:
        figures = accuracies_of(settings.reports_folder, document.experiment, document.benchmark)
        if document.experiment == "thesis" and (study_name or not figures):
            continue  # it has the study of this build
        ours[document.experiment] = replace(ours[document.experiment], accuracies=figures)
    grid = grid_figures(settings.reports_folder / PAPERS_STUDY)
    ours["paper_qa"] = replace(ours["paper_qa"], accuracies=grid)
    built = _build_remarks(build, settings, asdict(settings_of(_THESIS).documents["chunk"]))
    return make_report(documents, ours, [*built, *remarks, _study_remark(study)], study)


def our_figures(
    experiments: Iterable[str], measures: dict[str, MeasuredFigure], study: Study | None
) -> dict[str, OurFigures]:
    """What the rows of a document are compared with, by the experiment that stands for its system."""
    from citegrain.tasks.published.reproduce import OurFigures

    ours = {}
    for name in dict.fromkeys(experiments):
        composed = settings_of([f"experiment={name}"])
        config = dict(_flat({group: asdict(composed.group(group)) for group in _GROUPS}))
        ours[name] = OurFigures(measures, config, study.accuracies_of(name) if study else {})
    return ours


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Values by dotted key, those of lists by their place: ``fuse.rules.0.weights.dense``."""
    if not isinstance(value, dict | list):
        yield key, value
        return
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _flat(part, f"{key}.{name}".lstrip("."))


def _build_remarks(build: Build, settings: Settings, thesis_chunks: dict[str, Any]) -> list[str]:
    """What the build is, and which command makes one with the thesis' chunks."""
    from citegrain.tasks.published.reproduce import chunk_parameters

    counts, acts = build.manifest["counts"], build.names()
    chunks = chunk_parameters(build, settings.store_folder)
    parameters = "not recorded in the store"
    if chunks:
        parameters = ", ".join(f"{key} {chunks[key]}" for key in thesis_chunks if key in chunks)
    encoder = str(build.manifest["embed"].get("model", "an unknown encoder")).rpartition("/")[2]
    remarks = [
        f"build {build.folder.parent.name}/{build.folder.name[:8]}: documents {counts['documents']}, "
        f"pages {counts['pages']:,}; chunks: {parameters}; vectors by {encoder}"
    ]
    if len(acts) == 1:
        remarks.append(
            f"its corpus is one law, {acts[0][1]}, not 40 Acts: it can show that the thesis' stages run, and "
            "what its parameters make of one text, but not Table 4.1 nor an accuracy over Acts: for these "
            "give corpus=folder corpus.path=DIR"
        )
    # what its strategy does not read is not recorded
    if chunks is None or any(chunks.get(key, value) != value for key, value in thesis_chunks.items()):
        remarks.append(
            f"its chunks are {'not' if chunks else 'not known to be'} the thesis': without corpus.name= "
            "citegrain reproduce makes a build with these"
        )
    return remarks


def _study_remark(study: Study | None) -> str:
    if study is None:
        return "there is no study of this build, so no accuracy of ours is shown: citegrain bench measures it"
    return (
        f"accuracy of ours: {study.line}; configuration {study.configuration} beside the published rows. "
        "It is another benchmark: the two figures cannot be compared"
    )


def _show(report: Report) -> None:
    for remark in report.remarks:
        out.print(remark, markup=False)
    out.print(rendered(report.headline_table, lambda cell: _STYLES.get(cell.split(" (")[0], "")))
    for reason in report.headline_reasons():
        out.print(reason, markup=False)
    out.print(report.summary, markup=False)
