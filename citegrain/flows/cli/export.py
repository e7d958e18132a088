"""The command that writes the Acts of a build in Akoma Ntoso: ``citegrain export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import (
    Overrides,
    corpus_to_ask,
    in_one_line,
    line,
    published,
    settings_of,
    shown,
)
from citegrain.tasks.core.store.files import write_atomically


def export(
    overrides: Overrides = None,
    to: Annotated[Path, typer.Option("--to", help="Folder of the files.")] = Path("acts"),
) -> None:
    """Write each edition of each Act of a build as Akoma Ntoso 3.0."""
    from citegrain.flows.shared.asking import open_build
    from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
    from citegrain.tasks.offline.akn import to_akn

    given = published(overrides)
    settings = settings_of(given)
    folder = corpus_to_ask(settings, given)
    with in_one_line(settings.artifacts_folder):
        build = open_build(folder, settings)
        acts = {act["act_id"]: act for act in build.acts}
        rows, references = (
            build.table(schema).sort_by(order).to_pylist()
            for schema, order in ((PROVISIONS, "ordinal"), (REFERENCES, "offset"))
        )
        for act in build.acts:
            edition = act["document_id"], act["act_id"]
            of_act = [r for r in rows if (r["document_id"], r["act_id"]) == edition]
            path = to / f"{act['act_id']}@{act['version_date'] or 'undated'}.xml"
            cited = [r for r in references if r["act_id"] == act["act_id"]]
            write_atomically(path, to_akn(act, of_act, cited, acts))
            line(shown(path))
