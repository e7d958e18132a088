"""The commands of what is published and kept: ``builds``, ``documents``, ``graph``, ``export`` and others."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citegrain.flows.cli.terminal import (
    AsJson,
    Overrides,
    fail,
    in_one_line,
    json_text,
    line,
    out,
    published,
    rendered,
    settings_of,
    settings_to_ask,
    shown,
    when,
    with_cfg,
    write_page,
)

if TYPE_CHECKING:
    from citegrain.flows.shared.library import Build

store = typer.Typer(no_args_is_help=True, help="The artefact store.")


def builds(overrides: Overrides = None, as_json: AsJson = False) -> None:
    """List the builds that are published, the newest first."""
    from citegrain.tasks.core.pages import Table
    from citegrain.tasks.offline.index import list_builds

    folder = settings_of(overrides).builds_folder
    rows = list_builds(folder)
    if as_json:
        print(json.dumps([asdict(row) | {"since": when(row.since)} for row in rows], indent=1))
        return
    if not rows:
        line(f"no build is published in {folder}: run make demo or citegrain index")
        return
    further = ["versions"] * any(row.versions != row.acts for row in rows)
    counted = ("rules", "judgments", "others", "doubtful", "incomplete")
    further += [name for name in counted if any(getattr(row, name) for row in rows)]
    lines = []
    for row in rows:
        counts = [row.documents, row.acts, *(getattr(row, name) for name in further), round(row.size / 2**20)]
        lines.append((row.name, row.state, when(row.since), row.key[:8], *map(str, counts)))
    heads = ("name", "state", "since", "key", "files", "Acts", *further, "MiB")
    out.print(rendered(Table.of_texts("", heads, lines)))


def documents(
    name: Annotated[str, typer.Argument(help="The build, as citegrain builds lists it.")],
    overrides: Overrides = None,
    file: Annotated[str, typer.Option(help="Part of a file's name: show each of its pages.")] = "",
) -> None:
    """Show where the text of each document went."""
    from citegrain.tasks.core.errors import printable
    from citegrain.tasks.core.pages import Table
    from citegrain.tasks.core.schemas import COVERAGE, DOCUMENTS, LEFT_OUT, SOURCES, UNCLAIMED
    from citegrain.tasks.core.tables import read_table
    from citegrain.tasks.offline.index import read_build

    name = name.removeprefix("corpus.name=")  # as the other commands have it
    settings = settings_of(published([f"corpus.name={name}", *(overrides or [])]))
    with in_one_line(settings.artifacts_folder):
        folder, _ = read_build(settings.builds_folder / name)
    if not (folder / COVERAGE.file).exists():
        fail(f"{name}: made by an older citegrain, which kept no account; run citegrain index again", 1)
    read = (read_table(folder / schema.file, schema).to_pylist() for schema in (SOURCES, DOCUMENTS, COVERAGE))
    sources, rows, coverage = read
    files = {row["document_id"]: row["file"] for row in reversed(sources)}
    accounts: dict[str, list[dict[str, Any]]] = {row["document_id"]: [] for row in rows}
    for part in coverage:
        accounts[part["document_id"]].append(part)
    heads = ["file", "characters", "read", "provisions", "other places", "left out", UNCLAIMED]
    lines, pages = [], []
    for row in rows:
        of_file, parts = files[row["document_id"]], accounts[row["document_id"]]
        total = sum(part["n_chars"] for part in parts)
        law, left, lost = (
            sum(part["n_chars"] for part in parts if part["place"] == place)
            for place in ("provision", LEFT_OUT, UNCLAIMED)
        )
        shares = (f"{n / max(1, total):.1%}" for n in (law, total - law - left - lost, left, lost))
        lines.append((of_file, f"{total:,}", row["verdict"], *shares))
        every = bool(file) and file.lower() in of_file.lower()
        for part in parts:
            if every or (not file and part["place"] == UNCLAIMED):
                words = part["reason"] or part["begins"]
                pages.append((of_file, str(part["page"]), part["place"], f"{part['n_chars']:,}", words))
    out.print(rendered(Table.of_texts(name, heads, lines, ("read",))))
    for row in (row for row in rows if row["verdict_reason"]):
        line(f"{printable(files[row['document_id']])}: {row['verdict']}: {row['verdict_reason']}")
    if pages:
        heads = ["file", "page", "place", "characters", "begins, or why it is left out"]
        caption = "Pages" if file else "What nothing claims"
        out.print(rendered(Table.of_texts(caption, heads, pages, ("place", heads[-1]))))


def graph(
    what: Annotated[str, typer.Argument(help='A provision ("IPC 302"), an id, an Act, or export.')],
    overrides: Overrides = None,
    form: Annotated[
        str, typer.Option("--format", help="Of export: graphml, or cypher (CSV for Neo4j).")
    ] = "graphml",
    to: Annotated[Path, typer.Option("--to", help="Folder of export.")] = Path("graph"),
    as_json: AsJson = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the neighbourhood as a page with a picture.")
    ] = None,
) -> None:
    """Show what a provision cites and what cites it, or export it all."""
    from citegrain.flows.shared.asking import open_build
    from citegrain.tasks.online.graph import FORMATS
    from citegrain.tasks.online.graph import export as export_graph

    if form not in FORMATS:
        fail(f"--format {form}: one of {', '.join(FORMATS)}", 2)
    settings, folder = settings_to_ask(overrides)
    with in_one_line(settings.artifacts_folder):
        build = open_build(folder, settings)
        if what == "export":
            for path in export_graph(build.graph_tables, to, form):
                line(shown(path))
            return
        _show_graph(build, what, as_json, html)


def _show_graph(build: Build, what: str, as_json: bool, html: Path | None) -> None:
    from citegrain.tasks.core.pages import Table

    rows = build.graph(what)
    if not rows:
        fail(f'{what}: no provision or Act of this build; write it as "IPC 302", or as its id', 1)
    if html:
        write_page(html, _page_of_graph(build, rows))
        return
    if as_json:
        print(json_text(rows, 1))
        return
    for node, edges in rows.items():
        lines = []
        for edge in edges:
            arrow = "->" if edge["direction"] == "out" else "<-"
            label = ", ".join(part for part in (edge["label"], edge["reason"]) if part)
            lines.append((arrow, edge["kind"], label, edge["words"], str(edge["times"]), str(edge["page"])))
        heads = ("", "kind", "provision", "words", "times", "page")
        out.print(rendered(Table.of_texts(f"{node}: {len(edges)} edges", heads, lines, heads[1:4])))


def _page_of_graph(build: Build, edges: Mapping[str, list[dict[str, Any]]]) -> str:
    from citegrain.tasks.online.answer import labels, make_neighbourhood, neighbours_of, short_titles

    nodes = sorted(
        (row for row in build.graph_tables["nodes"].to_pylist() if row["node_id"] in edges),
        key=lambda row: list(edges).index(row["node_id"]),
    )
    names = labels(nodes, short_titles(build.acts))
    return make_neighbourhood(build.label, neighbours_of(build, list(edges)), names, edges)


def export(
    overrides: Overrides = None,
    to: Annotated[Path, typer.Option("--to", help="Folder of the files.")] = Path("acts"),
    akn: Annotated[bool, typer.Option("--akn", help="Editions as Akoma Ntoso 3.0; the default.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Provisions as JSON lines.")] = False,
    beir: Annotated[bool, typer.Option("--beir", help="A benchmark= and its law as BEIR has them.")] = False,
    amendments: Annotated[
        bool, typer.Option("--amendments", help="Known amendments, and the texts that they make.")
    ] = False,
) -> None:
    """Write the Acts of a build, and a benchmark, for other programs."""
    from citegrain.flows.shared.answering import today
    from citegrain.flows.shared.asking import open_build
    from citegrain.flows.study.nodes import open_corpus
    from citegrain.flows.study.sharing import write_benchmark
    from citegrain.flows.study.study import Study
    from citegrain.tasks.evaluation.benchmark import open_benchmark

    settings, folder = settings_to_ask(overrides)
    with in_one_line(settings.artifacts_folder):
        build = open_build(folder, settings)
        if beir:
            benchmark = open_benchmark(settings.benchmark)
            day = settings.benchmark.day or today()
            as_of = Study(benchmark.name, settings, benchmark, day).as_of
            corpus = open_corpus(build, benchmark, as_of)
            for warning in corpus.warnings:
                line(f"not indexed: {warning}")
            write_benchmark(benchmark, build, corpus.gold, as_of, to)
            line(shown(to))
        if jsonl:
            _write_provisions(build, to / "provisions.jsonl")
        if amendments:
            _write_amendments(build, to)
        if akn or not (beir or jsonl or amendments):
            _write_editions(build, to, settings.store_folder)


def _write_amendments(build: Build, to: Path) -> None:
    """Instructions as a table to review, whose status is read again, and the provisions that they make."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from citegrain.tasks.core.schemas import INSTRUCTIONS, PROVISIONS
    from citegrain.tasks.core.store.files import write_atomically
    from citegrain.tasks.law.amending_acts import APPLIED, REVIEWED, amended, reviewed, to_csv

    rows = build.table(INSTRUCTIONS).to_pylist() if build.has(INSTRUCTIONS) else []
    table, texts = to / "instructions.csv", to / "amended.jsonl"
    if table.exists():
        rows = reviewed(rows, table.read_text(encoding="utf-8"))
    targets = pa.array(sorted({row["target_act"] for row in rows}), pa.string())
    law = build.table(PROVISIONS)
    law = law.filter(pc.is_in(law.column("act_id"), targets)).sort_by("ordinal")
    lines, applied = [], set[str]()
    for row, result in amended(rows, law.to_pylist(), build.acts):
        applied |= set(result.applied)
        object_ = {"provision_id": row["provision_id"], "number": row["number"], **asdict(result)}
        lines.append(json.dumps(object_, ensure_ascii=False) + "\n")
        left = "; ".join(dict.fromkeys(result.skipped.values()))
        doubts = "; ".join(result.doubts)
        said = (f", left: {left}" if left else "") + (f", doubtful: {doubts}" if doubts else "")
        line(f"{row['provision_id']}: {len(result.applied)} applied{said}")
    rows = [
        row | {"status": APPLIED} if row["status"] == REVIEWED and row["instruction_id"] in applied else row
        for row in rows
    ]
    write_atomically(table, to_csv(rows))
    write_atomically(texts, "".join(lines))
    line(shown(table))
    line(shown(texts))


def _write_provisions(build: Build, path: Path) -> None:
    """A line a provision and version: its row of ``provisions`` with its ELI, days as ISO dates."""
    from citegrain.tasks.core.schemas import PROVISIONS
    from citegrain.tasks.core.store.files import write_atomically
    from citegrain.tasks.law.citations import eli_of

    lines = []
    for row in (
        build.table(PROVISIONS).sort_by([("document_id", "ascending"), ("ordinal", "ascending")]).to_pylist()
    ):
        act = build.act(row["act_id"], row["version_date"])
        object_ = {"eli": eli_of(act, row["provision_id"]), "title": act["title"], **row}
        lines.append(json.dumps(object_, ensure_ascii=False, default=str) + "\n")
    write_atomically(path, "".join(lines))
    line(shown(path))


def _write_editions(build: Build, to: Path, store: Path) -> None:
    """Each edition of each Act as a file of Akoma Ntoso; what the latest cite stands in the graph."""
    from citegrain.tasks.core.schemas import ACTS, EDGES, PROVISIONS
    from citegrain.tasks.core.store.files import write_atomically
    from citegrain.tasks.offline.akn import to_akn
    from citegrain.tasks.offline.graph import cited_in

    acts = {act["act_id"]: act for act in build.acts}
    rows = build.table(PROVISIONS).sort_by("ordinal").to_pylist()
    tables = {schema.name: build.table(schema) for schema in (ACTS, PROVISIONS)}
    by_document: dict[str, list[Any]] = {}
    for edge in build.table(EDGES).to_pylist():
        if edge["kind"] == "cites":
            by_document.setdefault(edge["document_id"], []).append(edge)
    for act in build.acts:
        document, act_id = edition = act["document_id"], act["act_id"]
        of_act = [r for r in rows if (r["document_id"], r["act_id"]) == edition]
        cited = by_document.get(document) or cited_in(tables, document, store)
        ids = {r["provision_id"] for r in of_act}
        cited = [edge for edge in cited if edge["source_id"] in ids]
        path = to / f"{act_id}@{act['version_date'] or 'undated'}.xml"
        write_atomically(path, to_akn(act, of_act, cited, acts))
        line(shown(path))


def rollback(overrides: Overrides = None) -> None:
    """Make the previous build of a corpus current again."""
    from citegrain.tasks.core.store import reindexing
    from citegrain.tasks.evaluation.promotion import ROLLED_BACK, write_record
    from citegrain.tasks.offline.index import read_pointer
    from citegrain.tasks.offline.index import rollback as roll

    settings = settings_of(published(overrides))
    with in_one_line(settings.artifacts_folder, ValueError):
        folder = settings.builds_folder / settings.corpus.name
        # a re-index that runs would promote what is taken back here
        with reindexing(folder, settings.reindex.wait) if folder.is_dir() else nullcontext():
            before = read_pointer(folder / "current")
            key = roll(settings.builds_folder, settings.corpus.name)
            write_record(folder, datetime.now(UTC).isoformat(timespec="seconds"), ROLLED_BACK, key, before)
    out.print(f"{settings.corpus.name}: current is {key}")


@store.command("gc")
@with_cfg
def store_gc(overrides: Overrides = None) -> None:
    """Clear what no current or previous build needs."""
    from citegrain.tasks.core.store.gc import collect_garbage

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        done = collect_garbage(settings.artifacts_folder, time.time())
    out.print(
        f"cleared {done.builds} builds, {done.artefacts} artefacts, {done.segments} row segments, "
        f"{done.leftovers} leftovers: {done.bytes / 2**20:.1f} MiB"
    )


@store.command("connect")
@with_cfg
def store_connect(address: Annotated[str, typer.Argument()], overrides: Overrides = None) -> None:
    """Share by object storage: s3://bucket/lab, or "" for none."""
    from citegrain.tasks.core.store import connect

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        connect(settings.store_folder, address)
    out.print(f"{settings.store_folder}: " + (f"shares with {address}" if address else "shares with none"))


@store.command("fetch")
@with_cfg
def store_fetch(overrides: Overrides = None) -> None:
    """Fetch the build that another machine published."""
    from citegrain.tasks.offline.index import fetch

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder, ValueError):
        build = fetch(settings.builds_folder, settings.corpus.name)
    out.print(f"{build}: current")
