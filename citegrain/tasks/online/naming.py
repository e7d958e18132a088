"""The names by which a question may mean an Act, over one build."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow.compute as pc

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
    return build.shared("repealed acts", lambda: _repealed(build))


def _repealed(build: PublishedBuild) -> frozenset[str]:
    if not build.has(REFERENCES):
        return frozenset()
    headed = pc.match_substring(pc.field("heading"), "repeal", ignore_case=True)
    repealing = build.table(PROVISIONS).filter(headed).column("provision_id")
    references = build.table(REFERENCES)
    targets = references.filter(pc.is_in(references.column("source_id"), repealing)).column("target_act")
    return frozenset(targets.drop_null().to_pylist())


def _read(build: PublishedBuild) -> ActNames:
    names = build.names()
    central = [entry.title for entry in Catalogue.lines()[0] if entry.kind == "central"]
    ours = {slug(title) for _, title, _ in names} | {act for act, _, _ in names}
    listed = {slug(title): title for title in central if slug(title) not in ours}
    references = build.table(REFERENCES).column("target_act").drop_null() if build.has(REFERENCES) else []
    cited = Counter(map(str, references))
    others = {slug(title): title for title in titles_of(cited, ours) if slug(title) not in ours}
    return ActNames(names, build.lexicon, list((others | listed).values()))
