"""The command that lists what can be asked: ``citegrain builds``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, out, plain_table, settings_of, when


def builds(
    overrides: Overrides = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the builds that are published, the newest first."""
    from citegrain.tasks.offline.index import list_builds

    rows = list_builds(settings_of(overrides).builds_folder)
    if as_json:
        print(json.dumps([asdict(row) | {"since": when(row.since)} for row in rows], indent=1))
        return
    if not rows:
        out.print("no build is published yet: run make demo or citegrain index")
        return
    heads = ("name", "state", "since", "key", "files", "Acts", "versions", "doubtful", "MiB")
    table = plain_table("", *heads, texts=4)
    for column in table.columns[1:4]:
        column.min_width, column.no_wrap = None, True
    for row in rows:
        counts = (row.documents, row.acts, row.versions, row.doubtful, round(row.size / 2**20))
        table.add_row(row.name, row.state, when(row.since), row.key[:8], *map(str, counts))
    out.print(table)
