"""A published build, opened for reading: tables, indexes, citations, law in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import (
    ACTS,
    CHUNKS,
    CLASSIFICATION,
    COUNTERPARTS,
    EDGES,
    EXPANSION,
    INSTRUCTIONS,
    JUDGMENTS,
    NODES,
    PRECEDENTS,
    PROVISIONS,
    REFERENCES,
    SUMMARIES,
)
from citegrain.tasks.core.words import devanagari_share
from citegrain.tasks.law.citations import Citations, stands_alone
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.law.counterparts import Counterpart, Counterparts, latest_sections
from citegrain.tasks.law.in_force import LawInForce, Mask
from citegrain.tasks.law.instruments import PREFIXES
from citegrain.tasks.offline.index import BuildError, read_build
from citegrain.tasks.online.builds.indexes import Indexes
from citegrain.tasks.online.builds.tables import classified

if TYPE_CHECKING:
    from citegrain.tasks.law.amending_acts import Pending, PendingAmendments

T = TypeVar("T")


class PublishedBuild(Indexes):
    """A build on disk.

    ``correspondence``: the user's table of which sections took the place of which; None where there is none.
    ``only``: ids of the Acts that are searched; None: all.
    ``step``: day whose law of procedure and evidence counts, whatever day is asked for; None: that day.
    """

    only: frozenset[str] | None = None
    step: date | None = None

    def __init__(
        self,
        folder: Path,
        manifest: Mapping[str, Any],
        models: Path,
        correspondence: Correspondence | None = None,
    ) -> None:
        super().__init__(folder, manifest, models)
        self.correspondence = correspondence
        self._shared: dict[Hashable, Any] = {}
        self._making: dict[Hashable, Any] = {}

    @classmethod
    def open(
        cls,
        path: Path | str,
        models: Path | str | None = None,
        correspondence: Correspondence | None = None,
    ) -> Self:
        """Open a build.

        Raises BuildError if it is missing, newer than this citegrain, or a file does not fit the manifest.

        ``path``: its folder, or the folder of its name with the file ``current``. ``models``: folder for
        unpacked model weights; by default ``models`` beside ``builds``.
        """
        folder, manifest = read_build(Path(path))
        where = Path(models) if models else folder.parents[2] / "models"
        return cls(folder, manifest, where, correspondence)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its folder: another process opens it once, whatever is pickled with it."""
        return _reopen, (type(self), self.folder, self.models, self.correspondence)

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``make`` for ``key``, computed once: configurations share it."""
        if key not in self._shared:
            with self._making.setdefault(key, RLock()):  # it may be read ahead
                if key not in self._shared:
                    self._shared[key] = make()
        value: T = self._shared[key]
        return value

    def within(self, acts: Collection[str]) -> Self:
        """The same build, of which only these Acts are searched; tables, indexes and models are shared."""
        part = copy(self)
        part.only = frozenset(acts)
        return part

    def with_step(self, step: date | None) -> Self:
        """The same build, of which procedure and evidence are those of another day; all else is shared."""
        other = copy(self)
        other.step = step
        return other

    @property
    def searched_acts(self) -> list[dict[str, Any]]:
        """Rows of ``acts`` that are searched, one a version."""
        return [act for act in self.acts if self.only is None or act["act_id"] in self.only]

    def in_space(self, name: str) -> Self:
        """The same build, searched in the vector space of a further encoder; its tables are shared.

        Raises BuildError if it was indexed without such an encoder.
        """
        if name == self.space:
            return self
        spaces = self.manifest.get("spaces", {})
        if name not in spaces:
            has = f"it has {', '.join(spaces)}" if spaces else f"index with embed.also.{name}"
            raise BuildError(f"{self.folder}: has no vector space {name}: {has}")
        other = self.shared(("space", name), lambda: self._in_space(name, spaces[name]))
        other = other if self.only is None else other.within(self.only)
        return other if self.step is None else other.with_step(self.step)

    def _in_space(self, name: str, facts: Mapping[str, Any]) -> Self:
        other = type(self)(self.folder, {**self.manifest, **facts}, self.models, self.correspondence)
        other.space, other._tables = name, self._tables
        return other

    # citations ----------------------------------------------------------------

    @cached_property
    def _citations(self) -> Citations:
        columns = self.table(PROVISIONS).select(["kind", "act_id", "provision_id", "number"]).to_pydict()
        return Citations(zip(*columns.values(), strict=True))

    def cited(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """Ids of the provisions that are cited so; ``law.citations.Citations.cited`` has the rules."""
        return self._citations.cited(kind, number, act_id)

    def labelled(self, act_id: str, section: str) -> list[str]:
        """Ids of the provisions that a label of a benchmark means."""
        return self._citations.labelled(act_id, section)

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        out: dict[str, list[int]] = {}
        for row, chunk_id in enumerate(self.chunk_ids):
            cited = self.citations[chunk_id]
            if cited is not None:
                out.setdefault(cited, []).append(row)
        if len(self.languages) > 1:  # lay texts and what was learned are in English
            out = {cited: sorted(rows, key=self.in_hindi) for cited, rows in out.items()}
        return out

    def rows_of(self, provision_id: str) -> Sequence[int]:
        """Rows of the searched chunks that cite a provision, of all its versions."""
        return self._rows_of.get(provision_id, ())

    def meant(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """Ids of the provisions that are cited so; of one that the build lacks, what inserts it."""
        cited = self.cited(kind, number, act_id)
        one = None if cited or act_id is None else self.inserting(f"{act_id}/{PREFIXES.get(kind)}_{number}")
        return [one["provision_id"]] if one else cited

    def numbered(self, kind: str, number: str, act_id: str | None) -> list[tuple[str, list[int]]]:
        """(provision_id, rows of its chunks) of the provisions that are meant so."""
        return [(p, self._rows_of[p]) for p in self.meant(kind, number, act_id) if p in self._rows_of]

    def family(self, row: int) -> Sequence[int]:
        """Rows of all chunks that cite what the chunk of ``row`` cites."""
        cited = self.citations[self.chunk_ids[row]]
        return self._rows_of[cited] if cited is not None else [row]

    @cached_property
    def languages(self) -> frozenset[str]:
        """Languages of its Acts: ``en``, ``hi``."""
        return frozenset(act["language"] for act in self.acts)

    def lexical_only(self, text: str) -> bool:
        """Whether it is searched by its words alone: it and all Acts are in Hindi, the encoder is not."""
        hindi = self.languages == {"hi"} and devanagari_share(text) > 0.5
        return hindi and not self.encoder.reads_devanagari

    def lay_texts(self, row: int) -> Sequence[str]:
        """The lay texts of the provision that the chunk of a row cites; none where it has none."""
        if not self.has(EXPANSION) or self.expansion is None:
            return ()
        return self.expansion.texts.get(self.citations[self.chunk_ids[row]] or "", ())

    @cached_property
    def summaries(self) -> Mapping[str, str]:
        """Summaries of its Acts, by act_id; none where it was indexed without."""
        if not self.has(SUMMARIES):
            return {}
        rows = self.table(SUMMARIES).to_pylist()
        return {row["target_id"]: row["text"] for row in rows if row["level"] == "document"}

    @cached_property
    def _counterparts(self) -> Counterparts:
        # a build that was made before there was this table has its sections matched here
        matched = self.table(COUNTERPARTS).to_pylist() if self.has(COUNTERPARTS) else None
        return Counterparts(self.acts, self._sections_of, self.correspondence, matched)

    def _sections_of(self, act_id: str) -> list[Mapping[str, Any]]:
        columns = ["provision_id", "kind", "number", "heading", "text", "status", "parent_id"]
        table = self.table(PROVISIONS).select([*columns, "act_id", "version_date"])
        rows = table.filter(pc.equal(table.column("act_id"), act_id)).to_pylist()
        return latest_sections(self.acts, act_id, rows)

    def counterparts(self, provision_id: str) -> list[Counterpart]:
        """The provisions that took the place of a section, or whose place it took; the nearest first."""
        return self._counterparts.find(provision_id.partition("__")[0])

    @property
    def unknown_counterparts(self) -> list[str]:
        """Rows of the user's table that name no section of this build, as ``IPC 999``."""
        return self._counterparts.unknown()

    def counterpart(self, provision_id: str, eligible: Mask | None) -> Sequence[int]:
        """Rows of the provision of the Act that replaced its own, or that its own replaced."""
        for other in self.counterparts(provision_id):
            rows = self._rows_of.get(other.provision_id, ())
            allowed = [r for r in rows if eligible is None or eligible[r]]
            if allowed:
                return allowed
        return []

    @cached_property
    def lexicon(self) -> Lexicon:
        """The names by which its Acts may be called."""
        return Lexicon(self.names(), initials=True)

    @cached_property
    def _classified(self) -> dict[str, dict[str, str]]:
        return classified(self.table(CLASSIFICATION), self.lexicon, self.cited)

    def attributes(self, provision_id: str) -> dict[str, str]:
        """What the First Schedule of a Code of procedure says of an offence: ``bailable``, ``cognizable``.

        ``Yes`` or ``No`` where all its entries for the section agree, ``Varies`` where they differ;
        nothing where the Schedule is silent, or its words depend on something or could not be read.
        """
        return dict(self._classified.get(provision_id, {}))

    # graph --------------------------------------------------------------------

    @cached_property
    def graph_tables(self) -> dict[str, pa.Table]:
        """Tables ``nodes`` and ``edges``; worked out here for a build that was made before there were any."""
        if self.has(NODES):
            return {schema.name: self.table(schema) for schema in (NODES, EDGES)}
        from citegrain.tasks.offline.graph import make_graph

        return make_graph(
            {s.name: self.table(s) for s in (ACTS, PROVISIONS, REFERENCES, PRECEDENTS, JUDGMENTS)}
        )

    # law in force -------------------------------------------------------------

    @cached_property
    def _law(self) -> LawInForce:
        return LawInForce(self.table(ACTS), self.table(PROVISIONS))

    @cached_property
    def _cited_rows(self) -> npt.NDArray[np.int64]:
        """Row in ``provisions`` of what each searched chunk cites; -1 for nothing."""
        chunks = self.table(CHUNKS).select(["indexed", "citation", "version_date"]).to_pydict()
        rows = zip(chunks["indexed"], chunks["citation"], chunks["version_date"], strict=True)
        of_chunks = [self._provision_rows.get((c, v), -1) for indexed, c, v in rows if indexed]
        return np.array(of_chunks, dtype=np.int64)

    def eligible(self, as_of: date | None) -> Mask:
        """Searched chunks that are law on a day, None: in their latest version: bool, shape (chunks,)."""
        return self.shared("eligible", lambda: lru_cache(64)(self._eligible))(as_of, self.step, self.only)

    def _eligible(self, as_of: date | None, step: date | None, only: Collection[str] | None) -> Mask:
        rows = self._cited_rows
        mask = np.asarray(self._law.mask(as_of, step)[rows] & (rows >= 0), dtype=bool)
        return mask if only is None else mask & np.array([act in only for act in self.act_ids], dtype=bool)

    @cached_property
    def citable(self) -> Mask:
        """Searched chunks that are cited like a section: bool, shape (searched chunks,)."""
        columns = self.table(PROVISIONS).select(["kind", "number"]).to_pydict()
        cited = list(map(stands_alone, columns["kind"], columns["number"]))
        rows = self._cited_rows
        return np.asarray(np.array(cited, dtype=bool)[rows] & (rows >= 0))

    def law_of(self, days: Iterable[date | None]) -> list[dict[str, Any]]:
        """Rows of ``provisions`` that are cited like a section and are law on any of the days."""
        table = self.table(PROVISIONS)
        mask = np.zeros(table.num_rows, dtype=bool)
        for day in set(days):
            mask |= self._law.mask(day)
        rows = table.filter(pa.array(mask)).to_pylist()
        return [row for row in rows if stands_alone(row["kind"], row["number"])]

    def in_force(self, provision_id: str, as_of: date | None) -> bool:
        """Whether a provision is law on a day, as :meth:`eligible` has it."""
        return self._law.holds(provision_id, as_of, self.step)

    def has_provision(self, provision_id: str) -> bool:
        """Whether it has a provision, of whatever version."""
        return bool(self._law.versions(provision_id))

    def on_day(self, provision_id: str, day: date) -> tuple[dict[str, Any], bool]:
        """The version of a provision that is law on a day, and True; else its latest, and False.

        Of editions in two languages the English one. Raises KeyError if the build has no such provision.
        """
        law = self._law.rows(provision_id, day, self.step)
        rows = [self._row(PROVISIONS, row) for row in law or self._law.versions(provision_id)]
        if not rows:
            raise KeyError(provision_id)
        in_english = [r for r in rows if self.act(r["act_id"], r["version_date"])["language"] == "en"]
        return max(in_english or rows, key=lambda r: r["version_date"] or date.min), bool(law)

    @cached_property
    def _amended(self) -> frozenset[str]:
        """The Acts of which amendments are known."""
        table = self.table(INSTRUCTIONS) if self.has(INSTRUCTIONS) else INSTRUCTIONS.empty()
        return frozenset(table.column("target_act").to_pylist())

    @cached_property
    def _pending(self) -> PendingAmendments:
        from citegrain.tasks.law.amending_acts import PendingAmendments  # for few answers

        return PendingAmendments(self.table(INSTRUCTIONS).to_pylist())

    def pending(self, provision_id: str, version: date | None, day: date | None) -> Pending | None:
        """The amendment that is law on a day and that the text of a provision does not show; None if none."""
        if provision_id.partition("/")[0] not in self._amended:
            return None
        row = self.provision_row(provision_id, version)
        edition, rows = row["version_date"], self._provision_rows
        return self._pending.find(
            row,
            self.act(row["act_id"], version),
            day,
            self._chapter(row),
            lambda name: (name, edition) in rows,
        )

    def inserting(self, provision_id: str) -> Mapping[str, Any] | None:
        """The row of ``instructions`` that inserts a provision; None if none is known."""
        is_amended = provision_id.partition("/")[0] in self._amended
        return self._pending.inserting(provision_id) if is_amended else None

    @cached_property
    def carried(self) -> dict[str, date]:
        """First day on which the law has all that a provision does to other Acts, by its id."""
        if not self.has(INSTRUCTIONS):
            return {}
        days = self.table(INSTRUCTIONS).select(["provision_id", "carried"])
        return dict(zip(*days.filter(pc.is_valid(days.column(1))).to_pydict().values(), strict=True))

    def _chapter(self, row: Mapping[str, Any]) -> str:
        """Number of the Chapter, else of the Part, in which a provision stands; empty if in none."""
        while row["parent_id"] and (row["parent_id"], row["version_date"]) in self._provision_rows:
            row = self.provision_row(row["parent_id"], row["version_date"])
            if row["kind"] in ("chapter", "part"):
                return str(row["number"])
        return ""

    def pages(self, provision_id: str, as_of: date | None) -> list[tuple[str, int]]:
        """(document_id, page) of every page on which a provision stands as it is law on a day."""
        places = self.table(PROVISIONS).select(["document_id", "page_start", "page_end"])
        rows = places.take(pa.array(self._law.rows(provision_id, as_of, self.step), pa.int64())).to_pylist()
        return [(r["document_id"], page) for r in rows for page in range(r["page_start"], r["page_end"] + 1)]


@lru_cache(maxsize=4)
def _reopen(
    kind: type[PublishedBuild], folder: Path, models: Path, correspondence: Correspondence | None
) -> PublishedBuild:
    """A build that was pickled, opened once a process."""
    return kind.open(folder, models, correspondence)
