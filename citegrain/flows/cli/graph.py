"""The command that shows the graph of the law: ``citegrain graph "IPC 302"``, ``citegrain graph export``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citegrain.flows.cli.terminal import (
    AsJson,
    Overrides,
    corpus_to_ask,
    err,
    fail,
    in_one_line,
    json_text,
    line,
    out,
    published,
    rendered,
    settings_of,
    shown,
)

if TYPE_CHECKING:
    from citegrain.flows.shared.library import Build

_EXPORT = "export"


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
    from citegrain.tasks.online.graph import FORMATS, export

    if form not in FORMATS:
        fail(f"--format {form}: one of {', '.join(FORMATS)}", 2)
    given = published(overrides)
    settings = settings_of(given)
    folder = corpus_to_ask(settings, given)
    with in_one_line(settings.artifacts_folder):
        build = open_build(folder, settings)
        if what == _EXPORT:
            for path in export(build.graph_tables, to, form):
                line(shown(path))
            return
        _show(build, what, as_json, html)


def _show(build: Build, what: str, as_json: bool, html: Path | None) -> None:
    from citegrain.tasks.core.pages import Table
    from citegrain.tasks.core.store.files import write_atomically

    rows = build.graph(what)
    if not rows:
        fail(f'{what}: no provision or Act of this build; write it as "IPC 302", or as its id', 1)
    if html:
        write_atomically(html, _page(build, rows))
        err.print(f"written: {html}", markup=False, soft_wrap=True)
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


def _page(build: Build, edges: Mapping[str, list[dict[str, Any]]]) -> str:
    from citegrain.tasks.online.answer import labels, make_neighbourhood, neighbours_of, short_titles

    nodes = sorted(
        (row for row in build.graph_tables["nodes"].to_pylist() if row["node_id"] in edges),
        key=lambda row: list(edges).index(row["node_id"]),
    )
    names = labels(nodes, short_titles(build.acts))
    return make_neighbourhood(build.label, neighbours_of(build, list(edges)), names, edges)
