"""A re-index from its sources to the pointer: what changed, the new build, the gate, the record.

``reindex.flow`` is what a schedule runs. Nothing that is published is touched before the verdict:
whatever ends a re-index, the build that was current stays current.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.flows.index.fetching import fetch_corpus
from citegrain.flows.index.inputs import prepare, published_sources
from citegrain.flows.index.run import plan_index, run_plan
from citegrain.flows.reindex.gate import gate
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.pages import markdown_text
from citegrain.tasks.core.schemas import ACTS, AMENDMENTS, PROVISIONS, SOURCES
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import reindexing
from citegrain.tasks.core.store.folders import replaced_folder
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.benchmark import Benchmark, open_benchmark
from citegrain.tasks.evaluation.promotion import (
    FIRST,
    PROMOTED,
    REFUSED,
    Verdict,
    comparison,
    earlier_refusal,
    touched_ids,
    unexplained_omissions,
    unmeasured,
    verdict_html,
    verdict_lines,
    write_record,
)
from citegrain.tasks.law.amend import Comparison, amendments, to_html, to_markdown
from citegrain.tasks.offline import index
from citegrain.tasks.offline.corpus import CorpusError, compare_sources
from citegrain.tasks.offline.plan import IndexPlan
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.search import Build

NO_CHANGE = "no change"
MARKDOWN = "amendments.md"
REPORT = ".amendments"  # what the folder of a build's report is called behind the build's name


@dataclass(frozen=True)
class Outcome:
    """How a re-index ended.

    Attributes
    ----------
    state
        ``no change``, ``first build``, ``promoted`` or ``refused``.
    build, before
        The new build, and the one that was current.
    left_out
        Files that were not indexed and documents that could not be fetched, with the reason.
    report
        Folder of the amendment report; None where there was nothing to compare.
    forced
        Whether it was promoted though the verdict refused it.
    """

    state: str
    build: Path
    before: Path | None = None
    left_out: Sequence[str] = ()
    amendments: pa.Table = field(default_factory=AMENDMENTS.empty)
    verdict: Verdict | None = None
    report: Path | None = None
    forced: bool = False


def run_reindex(settings: Settings, progress: Progress, force: bool = False) -> Outcome:
    """Bring a corpus up to date: stop where nothing changed, else build, report, judge and promote.

    Parameters
    ----------
    force
        Whether a build that the gate refuses is promoted all the same; it is recorded.

    Raises
    ------
    BenchmarkError, BuildError, CorpusError, RegistryError, ModelError, ReindexBusy, StoreError
        If it cannot be done; what is published stays as it is.
    """
    name = settings.corpus.name
    if settings.corpus.kind == "published":
        raise CorpusError(
            f"{name}: told by its name alone it has no sources: add corpus=folder or corpus=http"
        )
    folder = settings.builds_folder / index.check_name(name)
    with reindexing(folder, settings.reindex.wait):
        # first: what is wrong with them is told before anything is made
        benchmark, setup = open_benchmark(settings.benchmark), prepare(settings, publish=False)
        fetched = fetch_corpus(settings, progress)
        plan = plan_index(settings, setup)
        current = index.read_pointer(folder / "current")
        _say_sources(settings, plan, current, progress)
        progress.say(plan.line())
        if plan.build is not None and plan.complete and plan.build.name == current:
            new: Path | None = plan.build
        else:
            new = run_plan(plan, setup, settings.runner, progress).build
        if new is None:
            raise CorpusError("no document could be indexed; what was published stays")
        left_out = _refused(plan) + [one.line for one in fetched if one.reason]
        if new.name == current:
            return Outcome(NO_CHANGE, new, left_out=left_out)
        if not current:
            write_record(folder, _now(), FIRST, new.name, "")
            index.publish(new)
            return Outcome(FIRST, new, left_out=left_out)
        decided = earlier_refusal(folder, new.name, current, _judged_by(settings, benchmark))
        if decided and not force:
            return Outcome(REFUSED, new, folder / current, left_out, verdict=unmeasured(decided))
        return _replace(folder / current, new, plan, settings, benchmark, progress, force, left_out)


def _replace(
    before: Path,
    new: Path,
    plan: IndexPlan,
    settings: Settings,
    benchmark: Benchmark,
    progress: Progress,
    force: bool,
    left_out: Sequence[str],
) -> Outcome:
    """Compare, judge, write down, and only then move the pointer."""
    build = Build.open(new, settings.models_folder)
    with progress.step("gate", 2) as done:
        try:
            old = Build.open(before, settings.models_folder)
        except BuildError as error:
            table, told = AMENDMENTS.empty(), Comparison(f"build {before.name[:8]}", f"build {new.name[:8]}")
            verdict = unmeasured([f"the current build cannot be asked: {error}"])
        else:
            table = amendments(old.table(PROVISIONS), build.table(PROVISIONS))
            told = comparison(table, old, build)
            lost = lost_documents(old, build, plan) | unexplained_omissions(table, old)
            verdict = gate(old, build, settings, benchmark, touched_ids(table, old, build), lost, done)
    promoted = verdict.promoted or force
    forced = promoted and not verdict.promoted
    report = _write(
        new.with_name(new.name + REPORT),
        table,
        to_html(table, told, verdict_html(verdict, forced)),
        to_markdown(table, told, verdict_lines(verdict, forced)),
        verdict.as_dict() | {"forced": forced, "build": new.name, "before": before.name},
    )
    state = PROMOTED if promoted else REFUSED
    # before the pointer moves: nothing becomes current, should this be killed now, that is not recorded
    judged_by = _judged_by(settings, benchmark)
    write_record(new.parent, _now(), state, new.name, before.name, verdict.reasons, forced, judged_by)
    if promoted:
        index.publish(new)
    return Outcome(state, new, before, left_out, table, verdict, report, forced)


def lost_documents(before: Build, now: Build, plan: IndexPlan) -> dict[str, str]:
    """Files that the old build was made from and that, still there, are not read or lack an Act; with why.

    That a file is gone is no loss: who takes it away means it, and the report lists its Act. Neither is it
    that a fuller copy of its Act took its place.
    """
    acts = {(a["document_id"], a["act_id"]): a["title"] for a in before.table(ACTS).to_pylist()}
    held = {a["act_id"] for a in now.table(ACTS).to_pylist()}
    sources = {row["path"]: row["document_id"] for row in before.table(SOURCES).to_pylist()}
    lost: dict[str, str] = {}
    for document in plan.documents:
        for path in (source.relative for source in document.files if source.relative in sources):
            gone = [t for (d, act), t in acts.items() if d == sources[path] and act not in held]
            if document.refusal and not document.repeats:
                lost[path] = f"was read before and is not now: {document.refusal}"
            elif gone:
                lost[path] = f"{', '.join(gone)}: was found in it before and is not now"
    return lost


def _say_sources(settings: Settings, plan: IndexPlan, current: str, progress: Progress) -> None:
    """What was added, removed and changed since the current build was made."""
    if not current:
        return
    now = [source for document in plan.documents for source in document.files]
    try:
        before = published_sources(settings)
    except (CorpusError, OSError, ValueError):
        return  # the gate will say that the build cannot be read
    refused = {d.source.document_id for d in plan.documents if d.refusal}
    progress.say(compare_sources(before, now, refused).line)


def _refused(plan: IndexPlan) -> list[str]:
    return [f"{d.source.relative}: not indexed: {d.refusal}" for d in plan.documents if d.refusal]


def _judged_by(settings: Settings, benchmark: Benchmark) -> str:
    """What a verdict hangs on beside the two builds."""
    asked = settings.reindex
    return digest([benchmark.sha256, asked.metric, asked.most_lost, asdict(settings.cascade)])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(target: Path, table: pa.Table, page: str, markdown: str, verdict: dict[str, Any]) -> Path:
    """The amendment report: HTML, Markdown, Parquet and the verdict, in one folder, written whole."""
    with replaced_folder(target) as part:
        write_table(part / AMENDMENTS.file, table, AMENDMENTS)
        (part / "amendments.html").write_text(page, encoding="utf-8")
        (part / MARKDOWN).write_text(markdown, encoding="utf-8")
        (part / "verdict.json").write_text(json.dumps(verdict, indent=1) + "\n", encoding="utf-8")
    return target


def summary(outcome: Outcome) -> str:
    """The outcome as Markdown: how it ended, what was left out, then the report."""
    lines = [
        f"**{outcome.state}**{' by force' if outcome.forced else ''}: build {outcome.build.name[:8]}",
        "",
    ]
    lines += [f"- {markdown_text(told)}" for told in outcome.left_out]
    if outcome.report is not None:
        lines += ["", (outcome.report / MARKDOWN).read_text(encoding="utf-8")]
    return "\n".join(lines)
