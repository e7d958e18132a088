"""A re-index from its sources to the pointer: what changed, the new build, the gate, the record.

:mod:`flows.reindex` is what a schedule runs. Nothing that is published is touched before the verdict:
whatever ends a re-index, the build that was current stays current.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.fetching import fetch_corpus
from flows.gate import gate
from flows.indexing import run_plan
from flows.inputs import corpus_plans, prepare
from flows.plan import IndexPlan, resolve
from flows.progress import Progress
from flows.settings import Settings
from tasks import index
from tasks.amend import AMENDING, Comparison, amendments, to_html, to_markdown
from tasks.builds import Build
from tasks.corpus import CorpusError
from tasks.promotion import Verdict, plain, verdict_html, verdict_lines
from tasks.schemas import AMENDMENTS, PROVISIONS, SOURCES
from tasks.store import reindexing
from tasks.store.files import temporary_name
from tasks.tables import write_table

NO_CHANGE, FIRST, PROMOTED, REFUSED = "no change", "first build", "promoted", "refused"
RECORD = "promotions.jsonl"
MARKDOWN = "amendments.md"


@dataclass(frozen=True)
class Outcome:
    """How a re-index ended.

    Attributes
    ----------
    state
        ``no change``, ``first build``, ``promoted`` or ``refused``.
    build, before
        The new build, and the one that was current.
    report
        Folder of the amendment report; None where there was nothing to compare.
    forced
        Whether it was promoted though the verdict refused it.
    """

    state: str
    build: Path
    before: Path | None = None
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
    folder = settings.builds_folder / index.check_name(name)
    with reindexing(folder, settings.reindex.wait):
        fetch_corpus(settings, progress)
        context = prepare(settings, publish=False)
        plan = resolve(corpus_plans(settings), context)
        progress.say(plan.line())
        current = index.read_pointer(folder / "current")
        if plan.build is not None and plan.complete and plan.build.name == current:
            return Outcome(NO_CHANGE, plan.build)
        new = run_plan(plan, context, progress).build
        if new is None:
            raise CorpusError("no document could be indexed; what was published stays")
        if not current:
            return _first(new, plan)
        if new.name == current:
            return Outcome(NO_CHANGE, new)
        return _replace(folder / current, new, plan, settings, progress, force)


def _first(new: Path, plan: IndexPlan) -> Outcome:
    _record(new, "", FIRST, None, False)
    index.publish(new)
    return Outcome(FIRST, new)


def _replace(
    before: Path, new: Path, plan: IndexPlan, settings: Settings, progress: Progress, force: bool
) -> Outcome:
    """Compare, judge, write down, and only then move the pointer."""
    old_build, new_build = (Build.open(path, settings.models_folder) for path in (before, new))
    table = amendments(old_build.table(PROVISIONS), new_build.table(PROVISIONS))
    touched = amended_ids(table) | provisions_apart(old_build, new_build)
    with progress.step("gate", 2) as done:
        lost = lost_documents(old_build, plan)
        verdict = gate(old_build, new_build, settings, touched, lost, done)
    promoted = verdict.promoted or force
    forced = promoted and not verdict.promoted
    comparison = compared(table, old_build, new_build)
    report = _write(
        settings.reports_folder / f"reindex-{settings.corpus.name}-{new.name[:8]}",
        table,
        to_html(table, comparison, verdict_html(verdict, forced)),
        to_markdown(table, comparison, verdict_lines(verdict, forced)),
        verdict,
    )
    state = PROMOTED if promoted else REFUSED
    # before the pointer moves: nothing becomes current, should this be killed now, that is not recorded
    _record(new, before.name, state, verdict, forced)
    if promoted:
        index.publish(new)
    return Outcome(state, new, before, table, verdict, report, forced)


def amended_ids(table: pa.Table) -> set[str]:
    """Ids of the provisions that an amendment touched, under the old number and the new."""
    rows = [row for row in table.select(["kind", "old_id", "new_id"]).to_pylist() if row["kind"] in AMENDING]
    return {row[side] for row in rows for side in ("old_id", "new_id") if row[side]}


def provisions_apart(old: Build, new: Build) -> set[str]:
    """Ids of the provisions of Acts that only one of two builds holds."""
    apart = _acts(old) ^ _acts(new)
    ids = {p for build in (old, new) for p in build.table(PROVISIONS).column("provision_id").to_pylist()}
    return {p for p in ids if p.split("/")[0] in apart}


def compared(table: pa.Table, old: Build, new: Build) -> Comparison:
    """What the report says that was compared."""
    before, now = _acts(old), _acts(new)
    moved = set(table.column("act_id").to_pylist())
    return Comparison(
        f"build {old.folder.name[:8]}",
        f"build {new.folder.name[:8]}",
        {act_id: title for build in (old, new) for act_id, title, _ in build.names()},
        sorted((before & now) - moved),
        sorted(now - before),
        sorted(before - now),
    )


def _acts(build: Build) -> set[str]:
    return {act_id for act_id, _, _ in build.names()}


def lost_documents(before: Build, plan: IndexPlan) -> dict[str, str]:
    """Files that the old build was made from and that are refused now, with the reason.

    A file that is gone is not among them: who takes it away means it, and the report lists it.
    """
    held = {row["path"] for row in before.table(SOURCES).to_pylist()}
    return {
        source.relative: document.refusal
        for document in plan.documents
        if document.refusal
        for source in document.files
        if source.relative in held
    }


def _write(target: Path, table: pa.Table, page: str, markdown: str, verdict: Verdict) -> Path:
    """The amendment report: HTML, Markdown, Parquet and the verdict, in one folder, written whole."""
    part = target.with_name(temporary_name(f".{target.name}-"))
    try:
        part.mkdir(parents=True)
        write_table(part / AMENDMENTS.file, table, AMENDMENTS)
        (part / "amendments.html").write_text(page, encoding="utf-8")
        (part / MARKDOWN).write_text(markdown, encoding="utf-8")
        (part / "verdict.json").write_text(json.dumps(plain(verdict), indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return target


def summary(outcome: Outcome) -> str:
    """The outcome as Markdown: how it ended, then the report."""
    told = f"**{outcome.state}**{' by force' if outcome.forced else ''}: build {outcome.build.name[:8]}\n"
    if outcome.report is None:
        return told
    return f"{told}\n{(outcome.report / MARKDOWN).read_text(encoding='utf-8')}"


def _record(new: Path, before: str, state: str, verdict: Verdict | None, forced: bool) -> None:
    """One line beside the builds: what became current, instead of what, and why."""
    told: Mapping[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "build": new.name,
        "before": before,
        "state": state,
        "forced": forced,
        "reasons": list(verdict.reasons) if verdict else [],
    }
    with (new.parent / RECORD).open("a", encoding="utf-8") as file:
        file.write(json.dumps(told, ensure_ascii=False) + "\n")
