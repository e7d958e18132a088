"""What became of the sources of a corpus since a build was made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Sized
from dataclasses import dataclass, field

from citegrain.tasks.offline.corpus.sources import Source


@dataclass(frozen=True)
class SourceChanges:
    """The documents of a build beside those of its corpus now. A renamed file is the same document.

    Attributes
    ----------
    added, removed, unchanged
        Documents that are new, no longer there, or in both.
    changed
        Documents that took the place of another, under its path: the old and the new one.
    unreadable
        Files of now that cannot be read, or were not fetched. A document of the build that is one
        of them is not counted as removed.
    """

    added: list[Source] = field(default_factory=list)
    removed: list[Source] = field(default_factory=list)
    changed: list[tuple[Source, Source]] = field(default_factory=list)
    unchanged: list[Source] = field(default_factory=list)
    unreadable: list[Source] = field(default_factory=list)

    @property
    def none(self) -> bool:
        """Whether the build would be made of the same documents."""
        return not (self.added or self.removed or self.changed)

    @property
    def line(self) -> str:
        """It on one line."""
        told: dict[str, Sized] = {
            "added": self.added,
            "removed": self.removed,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "unreadable": self.unreadable,
        }
        counts = [f"{len(found)} {word}" for word, found in told.items() if found]
        return f"sources: {', '.join(counts) or 'none'}"


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
        Ids of documents that the build was offered and did not index, such as a Bill: that they are
        there still is no change.
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
    took = {s.document_id for _, s in changed}
    return SourceChanges(
        added=[s for s in fresh if s.document_id not in took and s.document_id not in passed_over],
        removed=list(left.values()),
        changed=changed,
        unchanged=[s for key, s in new.items() if key in old],
        unreadable=unreadable,
    )
