"""How the sources of a corpus changed since a build was made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields

from citegrain.tasks.offline.corpus.sources import Source


@dataclass(frozen=True)
class SourceChanges:
    """The documents of a build compared with those of its corpus now. A renamed file is the same document.

    Attributes
    ----------
    added, removed, unchanged
        Documents that are new, no longer there, or in both.
    changed
        Pairs of an old and a new document under the same path.
    unreadable
        Files of the corpus that cannot be read or were not fetched. A document of the build that is one
        of them is not counted as removed.
    """

    added: list[Source] = field(default_factory=list)
    removed: list[Source] = field(default_factory=list)
    changed: list[tuple[Source, Source]] = field(default_factory=list)
    unchanged: list[Source] = field(default_factory=list)
    unreadable: list[Source] = field(default_factory=list)

    @property
    def line(self) -> str:
        """How many of each, on one line."""
        counts = {f.name: len(getattr(self, f.name)) for f in fields(self)}
        parts = [f"{count} {name}" for name, count in counts.items() if count]
        return f"sources: {', '.join(parts) or 'none'}"


def compare_sources(
    before: Sequence[Source], now: Sequence[Source], passed_over: Collection[str] = ()
) -> SourceChanges:
    """What was added, removed and changed between two states of a corpus, by the bytes of its files.

    Parameters
    ----------
    before
        The documents of the build: its table ``sources``, which holds what was indexed.
    now
        The files of the corpus.
    passed_over
        Ids of documents that were refused when the build was made, such as a Bill. They are not added
        as long as they are refused.
    """
    old = {source.document_id: source for source in before}
    new: dict[str, Source] = {}
    for source in now:
        if source.document_id:
            new.setdefault(source.document_id, source)  # files with the same bytes are one document
    unreadable = [source for source in now if not source.document_id]
    lost = {s.relative for s in unreadable}
    left = {s.relative: s for key, s in old.items() if key not in new and s.relative not in lost}
    fresh = [s for key, s in new.items() if key not in old]
    changed = [(left.pop(s.relative), s) for s in fresh if s.relative in left]
    replacing = {s.document_id for _, s in changed}
    return SourceChanges(
        added=[s for s in fresh if s.document_id not in replacing and s.document_id not in passed_over],
        removed=list(left.values()),
        changed=changed,
        unchanged=[s for key, s in new.items() if key in old],
        unreadable=unreadable,
    )
