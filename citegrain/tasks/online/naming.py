"""The names by which a question may mean an Act, over one build."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from citegrain.tasks.core.schemas import REFERENCES
from citegrain.tasks.law.citing import ActNames, titles_of
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.online.estimate import Catalogue

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild


def act_names(build: PublishedBuild) -> ActNames:
    """Those of a build, which keeps them: its Acts, the Acts that these cite, and those of the catalogue."""
    return build.shared("act names", lambda: _read(build))


def _read(build: PublishedBuild) -> ActNames:
    names = build.names()
    central = [entry.title for entry in Catalogue.lines()[0] if entry.kind == "central"]
    ours = {slug(title) for _, title, _ in names} | {act for act, _, _ in names}
    listed = {slug(title): title for title in central if slug(title) not in ours}
    references = build.table(REFERENCES).column("target_act").drop_null() if build.has(REFERENCES) else []
    cited = Counter(map(str, references))
    others = {slug(title): title for title in titles_of(cited, ours) if slug(title) not in ours}
    return ActNames(names, build.lexicon, list((others | listed).values()))
