"""The commands that measure, and that show what was measured: ``bench`` to ``report``."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    fail,
    in_one_line,
    line,
    note,
    out,
    published,
    rendered,
    settings_of,
    shown,
)
from citegrain.tasks.core.paths import located

if TYPE_CHECKING:
    from citegrain.flows.shared.settings import Settings
    from citegrain.flows.study.study import Study
    from citegrain.tasks.evaluation.studies import StudyFolder

Strict = Annotated[bool, typer.Option(help="Refuse a benchmark that cites what is not indexed.")]
Multirun = Annotated[
    bool, typer.Option("-m", "--multirun", help="Measure each of several values, as in fuse.depth=5,10.")
]
Words = Annotated[
    list[str],
    typer.Argument(metavar="STUDY", help="Two or more, each with /CONFIGURATION or without; then overrides."),
]
Members = dict[str, tuple[list[str], "Settings"]]
Studies = Annotated[
    list[str] | None,
    typer.Argument(
        help="Name or folder of a study, the newest if none is given; of several, STUDY or "
        "STUDY/CONFIGURATION, the page of the first shows all beside each other. Then overrides."
    ),
]


def bench(
    overrides: Overrides = None,
    strict: Strict = False,
    dry_run: DryRun = False,
    multirun: Multirun = False,
    export: Annotated[
        str, typer.Option(help="mteb: also write the benchmark and the results for BEIR and MTEB.")
    ] = "",
) -> None:
    """Measure one configuration on a benchmark; with -m several."""
    from citegrain.flows.shared.settings import group_of, shaping

    if export not in ("", "mteb"):
        fail(f"--export {export}: must be mteb", 2)
    if multirun:
        sweep(overrides, strict, dry_run)
        return
    given = published(overrides)
    settings = settings_of(given)
    if export and settings.benchmark.days != "given":
        fail("--export mteb: the folder judges by the day given: leave out benchmark.days", 2)
    changes = [o for o in given if group_of(o) in (*shaping(), "experiment")]
    name = named_by(changes)
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    study = measure(title, {name: (changes, settings)}, settings, strict, dry_run)
    if export and not dry_run:
        _export(study, settings)


def _export(study: Study, settings: Settings) -> None:
    """Write what others read of a study, and print its metrics as they name them."""
    from citegrain.flows.cli.showing import summary
    from citegrain.flows.study.sharing import write_benchmark, write_results
    from citegrain.tasks.evaluation.score import SHARED_METRICS
    from citegrain.tasks.evaluation.studies import read_study

    (member,) = study.members
    folder = study.folder / "mteb"
    with in_one_line(settings.artifacts_folder):
        if member.cascade:
            write_benchmark(study.benchmark, member.cascade.build, member.gold, study.as_of, folder)
        done = read_study(folder.parent)
        write_results(done, folder)
    out.print(summary(done, "As BSARD and Housing Statute QA compare", done.scored, SHARED_METRICS))
    line(shown(folder))


def sweep(
    overrides: Overrides = None, strict: Strict = False, dry_run: DryRun = False, multirun: Multirun = False
) -> None:
    """Measure a sweep, or values as in fuse.depth=5,10, by one plan."""
    from citegrain.flows.shared.settings import SettingsError, split_values

    try:
        given, cells = split_values(published(overrides))
    except SettingsError as error:
        fail(str(error), 2)
    config = settings_of(given).sweep
    chosen, name = config.members([o.partition("=")[0] for o in given]), config.name
    if cells:  # without sweep= these alone
        swept = any(o.startswith("sweep=") for o in given)
        name = "-".join([*[name][: int(swept)], named_by([o for o in overrides or [] if o not in given])])
        chosen = {
            "-".join(filter(None, (a, b))): [*x, *y]
            for a, x in (chosen if swept else {"": []}).items()
            for b, y in cells.items()
        }
    if config.substitute:
        chosen = {n: [*o, *_substituted(n, [*given, *o])] for n, o in chosen.items()}
    baseline = config.baseline if config.baseline in chosen else next(iter(chosen))
    is_given = any(o.partition("=")[0] == "benchmark" for o in given)
    folders: list[Path] = []
    failed = False
    for benchmark in [""] if is_given else config.benchmarks or [""]:
        on = [*given, f"benchmark={benchmark}"] if benchmark else given
        settings = settings_of(on)
        if benchmark and not located(settings.benchmark.path).exists():
            note(f"{benchmark}: left out: {settings.benchmark.path} is not there")
            continue
        members: Members = {n: (o, settings_of([*on, *o])) for n, o in chosen.items()}
        title = f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
        title = settings.bench.name + f"-{benchmark}" * bool(benchmark) if settings.bench.name else title
        try:
            measure(title, members, settings, strict, dry_run, baseline, config.metrics)
        except typer.Exit as ended:
            if not benchmark or ended.exit_code != 1:
                raise
            failed = True
        folders.append(settings.reports_folder / title)
    if (len(folders) > 1 or config.made_for) and not dry_run:
        _show_kinds(folders, config.made_for)
    if failed:
        raise typer.Exit(1)


def _show_kinds(folders: list[Path], made_for: Mapping[str, str] | None = None) -> None:
    """Print one table of several studies, and how systems stand on what they were made for."""
    from citegrain.tasks.evaluation.report import kinds_table, standings
    from citegrain.tasks.evaluation.studies import read_study

    studies = [read_study(folder) for folder in folders]
    if len(studies) > 1:
        out.print(rendered(kinds_table(studies)))
    for sentence in standings(studies, made_for or {}):
        line(sentence)


def _substituted(name: str, overrides: list[str]) -> list[str]:
    """Overrides for what a configuration names and is not at hand; each is said."""
    from citegrain.flows.study.reproduce import substitutes

    missing = list(substitutes(settings_of(overrides)))
    for _, remark in missing:
        note(f"{name}: {remark}")
    return [override for override, _ in missing]


def ablate(overrides: Overrides = None, dry_run: DryRun = False) -> None:
    """Measure a factorial study: what each factor is worth."""
    from citegrain.flows.study.ablate import ablate as run

    given = published(overrides)
    settings = settings_of(given)
    config = settings.study
    command = sys.argv[1:]
    if config.benchmark and not any(o.partition("=")[0] == "benchmark" for o in given):
        on = f"benchmark={config.benchmark}"
        # the overrides of a single cell need it too
        given, command = [on, *given], [*command[:1], on, *command[1:]]
        settings = settings_of(given)
    begun = time.monotonic()
    with in_one_line(settings.artifacts_folder):
        study = run(given, settings, Terminal(), command, dry_run)
    if not dry_run:
        close(study, begun)


def calibrate(
    overrides: Overrides = None,
    write: Annotated[str, typer.Option(help="Also write the choices to conf/experiment/NAME.yaml.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Choose thresholds and operators on a development split."""
    from citegrain.flows.cli.showing import tried
    from citegrain.flows.study.calibrate import calibrate as run
    from citegrain.flows.study.calibrate import install

    given = published(overrides)
    settings = settings_of(given)
    if write and not re.fullmatch(r"\w+", write):
        fail(f"--write {write}: letters, digits and _", 2)
    if dry_run:
        for factor in settings.calibrate.factors:
            line(f"{factor.name}: {len(factor.values)} values by {factor.metric}, rule {factor.rule}")
        return
    with in_one_line(settings.artifacts_folder):
        choices, file = run(given, settings, Terminal(), sys.argv[1:], write or "calibrated")
    for choice in choices:
        out.print(tried(choice))
    line(shown(install(file, write)) if write else shown(file))
    line(shlex.join(override for choice in choices for override in choice.chosen))


def compare(words: Words) -> None:
    """Compare finished runs on a benchmark, each with the first."""
    from citegrain.flows.cli.showing import show
    from citegrain.tasks.evaluation.report import write_report
    from citegrain.tasks.evaluation.studies import join_runs, name_runs, read_study

    settings = settings_of([w for w in words if "=" in w])
    reports = settings.reports_folder
    names = [w for w in words if "=" not in w]
    folders = [_study_folder(name, reports) for name in names]
    with in_one_line(settings.artifacts_folder):
        studies = [(read_study(folder), configuration) for folder, configuration in folders]
        chosen = [(study, name) for study, c in studies for name in ([c] if c else study.scored)]
        title = settings.bench.name or "-vs-".join(name.replace("/", "-") for name in names)[:100]
        command = shlex.join(["citegrain", *sys.argv[1:]])
        join_runs(name_runs(chosen), settings.sweep.metrics, command, reports / title)
        page = write_report(reports / title)
    show(read_study(reports / title))
    line(shown(page))


def measure(
    title: str,
    members: Members,
    settings: Settings,
    strict: bool,
    dry_run: bool,
    baseline: str = "",
    metrics: list[str] | None = None,
) -> Study:
    """Measure configurations on a benchmark and print their tables; the rest as ``run_study`` has it."""
    from citegrain.flows.study.run import run_study

    begun = time.monotonic()
    with in_one_line(settings.artifacts_folder):
        family = baseline, tuple(metrics or ())
        study = run_study(title, members, settings, Terminal(), sys.argv[1:], *family, strict, dry_run)
    if not dry_run:
        close(study, begun)
    return study


def named_by(overrides: list[str]) -> str:
    """A name for what these overrides give."""
    parts = [re.sub(r"[^\w.-]+", "_", o.removeprefix("experiment=").lstrip("+~")) for o in overrides]
    return "-".join(parts)[:60].strip("._-") or "default"


def close(study: Study, begun: float) -> None:
    """Print what came of a study; exits with 1 where a configuration has no scores."""
    from citegrain.flows.cli.showing import show
    from citegrain.tasks.evaluation.studies import read_study

    show(read_study(study.folder))
    computed = ", ".join(f"{n} {stage}" for stage, n in study.computed.items()) or "nothing"
    seconds = time.monotonic() - begun
    page = study.folder / "report.html"
    out.print(f"made: {computed} ({seconds:.1f} s)")
    line(shown(page if page.is_file() else study.folder))
    for member in study.members:
        if member.failure:
            line(f"{member.name}: failed: {member.failure}", style="red")
        elif member.lost:
            query, why = next(iter(member.lost.items()))
            line(f"{member.name}: {len(member.lost)} queries failed, the first {query}: {why}", style="red")
        for without in member.went_without:
            line(without, style="red")
    if any(m.failure for m in study.members):
        raise typer.Exit(1)


def report(words: Studies = None) -> None:
    """Write a study's report.html, and its figures as SVG and PNG."""
    from citegrain.flows.cli.showing import side_by_side
    from citegrain.flows.study.folder import write_pages
    from citegrain.tasks.evaluation.report import side_by_side_table, write_report
    from citegrain.tasks.evaluation.studies import name_runs, read_study

    overrides = [w for w in words or [] if "=" in w]
    names = [w for w in words or [] if "=" not in w]
    settings = settings_of(overrides)
    chosen = [_study_folder(name, settings.reports_folder) for name in names or [""]]
    folder, configuration = chosen[0]
    with in_one_line(folder):
        runs: list[tuple[StudyFolder, str]] = []
        if configuration or len(chosen) > 1:  # of a study without a configuration the one it is about
            studies = [(read_study(place), name) for place, name in chosen]
            runs = list(name_runs([(study, name or study.focus) for study, name in studies]).values())
        write_pages(read_study(folder), settings)
        page = write_report(folder, runs)
    if runs:
        out.print(side_by_side(side_by_side_table(runs)))
        if not any(configuration for _, configuration in chosen):
            _show_kinds([folder for folder, _ in chosen])
    line(shown(page))


def _study_folder(name: str, reports: Path) -> tuple[Path, str]:
    """Folder of the study of a name or path, else the newest, and its configuration if one is named."""
    from citegrain.tasks.evaluation.studies import FACTS, run_folder

    if name and (Path(name) / FACTS).is_file():
        return Path(name).resolve(), ""
    try:
        return run_folder(reports, name)
    except FileNotFoundError as error:
        fail(str(error), 2 if name else 1)
