"""What the tasks of a re-index do: compare the new build with the current one, judge it, record and publish.

Nothing that is published is touched before the verdict: however a re-index ends, the build that was current
stays current until the new one is promoted.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.reindex.gate import BuildComparison, GateResult
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.mupdf import FAULTS, extracted
from citegrain.tasks.core.pages import markdown_text
from citegrain.tasks.core.schemas import ACTS, AMENDMENTS, PROVISIONS, SOURCES
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.tables import read_table, write_table
from citegrain.tasks.evaluation.benchmark import Benchmark
from citegrain.tasks.evaluation.promotion import (
    FIRST,
    PROMOTED,
    REFUSED,
    Verdict,
    comparison,
    earlier_refusal,
    misread_editions,
    touched_ids,
    unmeasured,
    write_record,
)
from citegrain.tasks.evaluation.promotion_page import verdict_html, verdict_lines
from citegrain.tasks.law.editions_compared import (
    AMENDING,
    LABELS,
    PRINTING,
    Comparison,
    amendments,
    to_html,
    to_markdown,
)
from citegrain.tasks.law.in_force import noted_until
from citegrain.tasks.offline import index
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan
from citegrain.tasks.online.builds import BuildError

NO_CHANGE = "no change"
MARKDOWN = "amendments.md"
_MOST_PAGES = 200  # pages of replaced documents that a report shows
_LONGEST = 5  # pages of a provision
_PRINTED_DAYS = {"as_on", "published"}
REPORT = ".amendments"  # what the folder of a build's report is called behind the build's name


@dataclass(frozen=True)
class ReindexOutcome:
    """How a re-index ended.

    ``state``: ``no change``, ``first build``, ``promoted`` or ``refused``. ``left_out``: files that are not
    indexed, new ones that are doubtful, and what was not fetched, with the reason. ``report``: folder of the
    amendment report; None where there was nothing to compare. ``forced``: promoted though refused.
    """

    state: str
    build: Path
    left_out: Sequence[str] = ()
    amendments: pa.Table = field(default_factory=AMENDMENTS.empty)
    verdict: Verdict | None = None
    report: Path | None = None
    forced: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A re-index that is planned.

    ``current``: name of the build that is current; empty for none. ``force``: whether a build that the gate
    refuses is promoted all the same. ``unfetched``: documents that could not be fetched, with the reason.
    """

    settings: Settings
    benchmark: Benchmark
    setup: BuildSetup
    plan: IndexPlan
    current: str
    force: bool
    unfetched: Sequence[str]

    @property
    def before(self) -> Path:
        """Folder of the current build."""
        return self.setup.folder / self.current

    @property
    def left_out(self) -> list[str]:
        """Files that are not indexed, new ones that are doubtful, and what was not fetched, with reasons."""
        before, out = set[str](), list[str]()
        with suppress(OSError, ValueError):  # a build that cannot be read: the gate says so
            before |= set(read_table(self.before / SOURCES.file, SOURCES).column("document_id").to_pylist())
        for document in self.plan.documents:
            (verdict, reason), name = document.verdict(), document.source.relative
            if document.refusal:
                out.append(f"{name}: not indexed: {document.refusal}")
            elif document.source.document_id not in before:
                reasons = [f"{verdict}: {reason}"] * bool(reason) + document.warnings
                out += [f"{name}: {reason}" for reason in reasons]
            out += [f"{source.relative}: the same bytes as {name}" for source in document.files[1:]]
        return [*out, *self.unfetched]

    @property
    def judged_by(self) -> str:
        """Digest of what the verdict depends on beside the two builds."""
        gate = self.settings.reindex
        return digest([self.benchmark.sha256, gate.metrics, gate.most_lost, asdict(self.settings.cascade)])


def unjudged(job: Job, new: Path) -> ReindexOutcome | None:
    """The outcome of a build that is not judged: it is current, or an earlier refusal of it stands."""
    if new.name == job.current:
        return ReindexOutcome(NO_CHANGE, new, left_out=job.left_out)
    refusal = earlier_refusal(new.parent, new.name, job.current, job.judged_by) if job.current else []
    if not refusal or job.force:
        return None
    return ReindexOutcome(REFUSED, new, job.left_out, verdict=unmeasured(refusal))


def compare(job: Job, new: Path) -> BuildComparison:
    """What changed from the current build to the new one."""
    build = Build.open(new, job.settings.models_folder)
    try:
        old = Build.open(job.before, job.settings.models_folder)
    except BuildError as error:
        names = Comparison(f"build {job.current[:8]}", f"build {new.name[:8]}")
        return BuildComparison(build, None, AMENDMENTS.empty(), names, unreadable=str(error))
    table = amendments(old.table(PROVISIONS), build.table(PROVISIONS))
    older, said = older_editions(table, old, build)
    lost = lost_documents(old, build, job.plan) | misread_editions(table, old, build) | older
    links = pdf_links(job, _report(new))
    places, pages = replaced_pages(job.before, table, old, links)
    left_out = [*job.left_out, *said]
    linked = replace(comparison(table, old, build), links=links, pages=places, left_out=left_out)
    return BuildComparison(build, old, table, linked, lost, touched_ids(table, old, build), pages=pages)


def replaced_pages(
    before: Path, table: pa.Table, old: Build, at_hand: Collection[str]
) -> tuple[dict[tuple[str, int], str], dict[str, bytes]]:
    """Pages of what was amended, from the copies beside the old build, of documents that are not at hand.

    Returns the place of each below the report by document and first page, and the PDF by its place. Of a long
    provision the first pages; of very many provisions the first, amended ones before those of print alone.
    """
    provisions = old.table(PROVISIONS).select(["provision_id", "document_id", "page_end"]).to_pylist()
    last = {(p["provision_id"], p["document_id"]): p["page_end"] for p in provisions}
    rows = [r for r in table.to_pylist() if r["old_document"] and r["old_document"] not in at_hand]
    places: dict[tuple[str, int], str] = {}
    pages: dict[str, bytes] = {}
    for row in sorted(rows, key=lambda r: r["kind"] not in AMENDING):
        document_id, page = row["old_document"], row["old_page"]
        copy = before.with_name(before.name + index.COPIES) / f"{document_id}.pdf"
        if (document_id, page) in places or len(places) == _MOST_PAGES or not copy.is_file():
            continue
        end = min(last.get((row["old_id"], document_id), page), page + _LONGEST - 1)
        place = f"old-pages/{document_id[:12]}-{page}.pdf"
        with suppress(*FAULTS):
            pages[place] = extracted(copy, page, end)
            places[document_id, page] = place
    return places, pages


def pdf_links(job: Job, report: Path) -> dict[str, str]:
    """Address of each document from the report: of its copy, which stays as it is, else in the corpus."""
    copies = report.with_suffix(index.COPIES)
    paths = {d.source.document_id: job.setup.corpus.folder / d.source.relative for d in job.plan.documents}
    copied = {name: path for name in paths if (path := copies / f"{name}.pdf").is_file()}
    return {
        name: quote(Path(os.path.relpath(path, report)).as_posix()) for name, path in (paths | copied).items()
    }


def _report(build: Path) -> Path:
    """Folder of the report that goes with a build."""
    return build.with_name(build.name + REPORT)


def settle(
    job: Job, new: Path, compared: BuildComparison | None = None, gated: GateResult | None = None
) -> ReindexOutcome:
    """Write the report and the record, and only then move the pointer. The first build has no report."""
    if compared is None or gated is None:
        write_record(new.parent, _now(), FIRST, new.name, "")
        index.publish(new)
        return ReindexOutcome(FIRST, new, left_out=job.left_out)
    before, table, verdict = job.before, compared.table, gated.verdict
    promoted = verdict.promoted or job.force
    forced = promoted and not verdict.promoted
    kinds = table.column("kind").to_pylist()
    moved = {label: kinds.count(kind) for kind, label in LABELS.items()}
    facts = {"forced": forced, "build": new.name, "before": before.name, "moved": moved}
    texts = {
        "amendments.html": to_html(table, compared.comparison, verdict_html(verdict, forced, gated.pages)),
        MARKDOWN: to_markdown(table, compared.comparison, verdict_lines(verdict, forced)),
        "verdict.json": json.dumps(verdict.as_dict() | facts, indent=1) + "\n",
        **gated.pages,
    }
    files = {name: text.encode() for name, text in texts.items()} | dict(compared.pages)
    report = _report(new)
    with replaced_folder(report) as part:
        write_table(part / AMENDMENTS.file, table, AMENDMENTS)
        for name, data in files.items():
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_bytes(data)
    state = PROMOTED if promoted else REFUSED
    # before the pointer moves: a build that becomes current is recorded, even if this is killed in between
    write_record(new.parent, _now(), state, new.name, before.name, verdict.reasons, forced, job.judged_by)
    if promoted:
        index.publish(new)
    left_out, titles = compared.comparison.left_out, compared.comparison.titles
    return ReindexOutcome(state, new, left_out, table, verdict, report, forced, titles)


def lost_documents(before: Build, now: Build, plan: IndexPlan) -> dict[str, str]:
    """Files of the old build that are still there but are not read now, or lack an Act; with the reason.

    A file that was taken away is no loss: that was meant, and the report lists its Act. Neither is a file
    in whose place a fuller copy of its Act is read.
    """
    acts = {(a["document_id"], a["act_id"]): a["title"] for a in before.table(ACTS).to_pylist()}
    present = {a["act_id"] for a in now.table(ACTS).to_pylist()}
    sources = {row["path"]: row["document_id"] for row in before.table(SOURCES).to_pylist()}
    lost: dict[str, str] = {}
    for document in plan.documents:
        for path in (source.relative for source in document.files if source.relative in sources):
            gone = [t for (d, act), t in acts.items() if d == sources[path] and act not in present]
            if document.refusal and not document.repeats:
                lost[path] = f"was read before and is not now: {document.refusal}"
            elif gone:
                lost[path] = f"{', '.join(gone)}: was found in it before and is not now"
    return lost


def older_editions(table: pa.Table, before: Build, now: Build) -> tuple[dict[str, str], list[str]]:
    """Acts of which the new build has an older edition: those that lose amendments so, and lines on others.

    Their notes decide, unless the new one prints a later day. A day that only the PDF has refuses nothing,
    unless the other's notes tell of a later year.
    """
    lost, said = dict[str, str](), list[str]()
    olds, news = ({act["act_id"]: act for act in sorted(b.acts, key=_day)} for b in (before, now))
    for act_id, old in olds.items():
        new = news.get(act_id, old)
        if new["document_id"] == old["document_id"]:
            continue
        noted = _noted(before, old), _noted(now, new)
        printed = {old["version_evidence"], new["version_evidence"]} <= _PRINTED_DAYS
        by_notes = all(year for year, _ in noted) and noted[0] != noted[1]
        by_notes = by_notes and not (printed and _day(new) > _day(old))
        if not (noted[1] < noted[0] if by_notes else new["version_date"] and _day(new) < _day(old)):
            continue
        was, is_now = (
            f"of {act['version_date'] or 'no day'}, {f'notes until {year}' if year else 'without notes'}"
            for act, (year, _) in zip((old, new), noted, strict=True)
        )
        why = f"an older edition ({is_now}) than that of the build ({was})"
        taken = table.filter((pc.field("act_id") == act_id) & (pc.field("kind") != PRINTING)).num_rows
        if taken and (by_notes or printed or _day(new).year < noted[0][0]):
            lost[old["title"]] = f"{why}; amended provisions that it takes back: {taken}"
        else:
            said.append(f"{old['title']}: {why}")
    return lost, said


def _day(act: Mapping[str, Any]) -> date:
    day: date | None = act["version_date"]
    return day or date.min


def _noted(build: Build, act: Mapping[str, Any]) -> tuple[int, date]:
    """The latest year and day of which the notes of an edition tell."""
    edition = (pc.field("act_id") == act["act_id"]) & (pc.field("document_id") == act["document_id"])
    return noted_until(build.table(PROVISIONS).filter(edition).select(["notes"]).to_pylist())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def summary(outcome: ReindexOutcome) -> str:
    """The outcome as Markdown: how it ended, what was left out, then the report."""
    lines = [
        f"**{outcome.state}**{' by force' if outcome.forced else ''}: build {outcome.build.name[:8]}",
        "",
    ]
    if outcome.report is None:
        lines += [f"- {markdown_text(line)}" for line in outcome.left_out]
    else:
        lines += ["", (outcome.report / MARKDOWN).read_text(encoding="utf-8")]
    return "\n".join(lines)
