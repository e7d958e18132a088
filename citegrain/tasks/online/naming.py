"""The names by which a question may mean an Act, over one build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.law.citing import ActNames, titles_of
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.online.estimate import Catalogue

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild


def act_names(build: PublishedBuild) -> ActNames:
    """Those of a build, which keeps them: its Acts, the Acts that these cite, and those of the catalogue."""
    return build.shared("act names", lambda: _read(build))


def repealed_acts(build: PublishedBuild) -> frozenset[str]:
    """Acts that provisions of a build on repeals refer to."""
    return build.shared("repealed acts", lambda: frozenset(_repealed(build)))


def _repealed(build: PublishedBuild) -> Iterator[str]:
    if build.has(REFERENCES):
        headings = build.table(PROVISIONS).select(["provision_id", "heading"]).to_pylist()
        repealing = {row["provision_id"] for row in headings if "repeal" in (row["heading"] or "").lower()}
        for row in build.table(REFERENCES).select(["source_id", "target_act"]).to_pylist():
            if row["target_act"] and row["source_id"] in repealing:
                yield row["target_act"]


def _read(build: PublishedBuild) -> ActNames:
    names = build.names()
    central = [entry.title for entry in Catalogue.lines()[0] if entry.kind == "central"]
    ours = {slug(title) for _, title, _ in names} | {act for act, _, _ in names}
    listed = {slug(title): title for title in central if slug(title) not in ours}
    references = build.table(REFERENCES).column("target_act").drop_null() if build.has(REFERENCES) else []
    cited = Counter(map(str, references))
    others = {slug(title): title for title in titles_of(cited, ours) if slug(title) not in ours}
    return ActNames(names, build.lexicon, list((others | listed).values()))
