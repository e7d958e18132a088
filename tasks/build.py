"""A published build, opened for reading: tables, indexes and search.

``Build.open("artifacts/builds/mine").search("...")`` needs neither flows nor Prefect nor MLflow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tasks.citations import Citations, stands_alone
from tasks.classified import classified
from tasks.counterparts import Correspondence, Counterpart, Counterparts
from tasks.embed import EmbedConfig, encoder_of
from tasks.index import (
    DENSE,
    SPARSE,
    STORY_MEAN,
    TOKEN_OFFSETS,
    TOKENS,
    BuildError,
    Expansion,
    SparseIndex,
    rarity,
    read_build,
    read_dense,
    search_dense,
)
from tasks.law import LawInForce, Mask
from tasks.models import TextEncoder
from tasks.schemas import (
    ACTS,
    BACKGROUND,
    CHUNKS,
    CLASSIFICATION,
    EXPANSION,
    PROVISIONS,
    SOURCES,
    TAGS,
    TableSchema,
)
from tasks.tables import read_table

Matrix = npt.NDArray[np.float32]
T = TypeVar("T")
__all__ = ["Build", "BuildError"]
_ROWS_KEPT = 50_000  # rows of tables in memory: 100 MB at most


class Build:
    """A build on disk. Files are memory-mapped; one that is replaced stays open as it was.

    Attributes
    ----------
    folder
        The build's own folder.
    manifest
        What it was made from.
    correspondence
        The user's table of which sections took the place of which; None where there is none.
    chunk_ids
        Ids of the searched chunks, in the order of the rows of both indexes.
    """

    def __init__(
        self,
        folder: Path,
        manifest: Mapping[str, Any],
        models: Path,
        correspondence: Correspondence | None = None,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.models = models
        self.correspondence = correspondence
        self._tables: dict[str, pa.Table] = {}
        self._rows_read: dict[tuple[str, int], dict[str, Any]] = {}
        self._shared: dict[Hashable, Any] = {}
        chunks = self.table(CHUNKS).select(["chunk_id", "indexed", "citation"]).to_pydict()
        rows = zip(chunks["chunk_id"], chunks["indexed"], chunks["citation"], strict=True)
        searched = [(c, cited) for c, indexed, cited in rows if indexed]
        self.chunk_ids: list[str] = [c for c, _ in searched]
        self.citations: dict[str, str | None] = dict(searched)

    @classmethod
    def open(
        cls,
        path: Path | str,
        models: Path | str | None = None,
        correspondence: Correspondence | None = None,
    ) -> Build:
        """Open a build.

        Parameters
        ----------
        path
            Its folder, or the folder of its name with the file ``current``.
        models
            Folder for unpacked model weights; by default ``models`` beside ``builds``.
        correspondence
            The user's table of which sections took the place of which; what it does not tell is matched.

        Raises
        ------
        BuildError
            If it is missing, newer than this citegrain, or a file does not fit the manifest.
        """
        folder, manifest = read_build(Path(path))
        where = Path(models) if models else folder.parents[2] / "models"
        return cls(folder, manifest, where, correspondence)

    # tables ---------------------------------------------------------------

    def table(self, schema: TableSchema) -> pa.Table:
        """One of the build's tables, read once."""
        if schema.name not in self._tables:
            self._tables[schema.name] = read_table(self.folder / schema.file, schema)
        return self._tables[schema.name]

    def _row(self, schema: TableSchema, at: int) -> dict[str, Any]:
        """A row of a table; the cells of a study ask for the same ones over and over."""
        key = schema.name, at
        if key not in self._rows_read:
            if len(self._rows_read) >= _ROWS_KEPT:
                self._rows_read.clear()
            self._rows_read[key] = self.table(schema).slice(at, 1).to_pylist()[0]
        return self._rows_read[key]

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` made for ``key`` when it was first asked for: configurations share it."""
        if key not in self._shared:
            self._shared[key] = make()
        made: T = self._shared[key]
        return made

    @cached_property
    def _chunk_rows(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.table(CHUNKS).column("chunk_id").to_pylist())}

    def chunk(self, chunk_id: str) -> dict[str, Any]:
        """Row of ``chunks`` by id."""
        return self._row(CHUNKS, self._chunk_rows[chunk_id])

    @cached_property
    def _tag_rows(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.table(TAGS).column("chunk_id").to_pylist())}

    def tag(self, chunk_id: str) -> dict[str, Any]:
        """Row of ``tags`` by chunk id."""
        return self._row(TAGS, self._tag_rows[chunk_id])

    @cached_property
    def _provision_rows(self) -> dict[tuple[str, date | None], int]:
        columns = self.table(PROVISIONS).select(["provision_id", "version_date"]).to_pydict()
        pairs = zip(columns["provision_id"], columns["version_date"], strict=True)
        return {pair: i for i, pair in enumerate(pairs)}

    def provision(self, provision_id: str, version: date | None) -> dict[str, Any]:
        """Row of ``provisions`` by id and version."""
        return self._row(PROVISIONS, self._provision_rows[provision_id, version])

    @cached_property
    def _act_rows(self) -> dict[tuple[str, date | None], dict[str, Any]]:
        return {(a["act_id"], a["version_date"]): a for a in self.table(ACTS).to_pylist()}

    def act(self, act_id: str, version: date | None) -> dict[str, Any]:
        """Row of ``acts`` by id and version."""
        return self._act_rows[act_id, version]

    @cached_property
    def _files(self) -> dict[str, str]:
        return {s["document_id"]: s["path"] for s in self.table(SOURCES).to_pylist()}

    @property
    def acts(self) -> list[dict[str, Any]]:
        """Rows of ``acts``, one a version."""
        return list(self._act_rows.values())

    def names(self) -> list[tuple[str, str, list[str]]]:
        """(act_id, title, other names) of each Act, once."""
        rows = {a["act_id"]: (a["act_id"], a["title"], a["aliases"]) for a in self._act_rows.values()}
        return list(rows.values())

    def link(self, document_id: str, page: int) -> str:
        """``file.pdf#page=N``, the file name as it was when the build was published."""
        return f"{quote(self._files.get(document_id, document_id), safe='/')}#page={page}"

    @cached_property
    def act_ids(self) -> list[str]:
        """Act of each searched chunk, in the order of the rows."""
        return [str(row["act_id"]) for row in self._searched]

    # law in force -----------------------------------------------------------

    @cached_property
    def _law(self) -> LawInForce:
        return LawInForce(self.table(ACTS), self.table(PROVISIONS))

    @cached_property
    def _cited_rows(self) -> npt.NDArray[np.int64]:
        """Row in ``provisions`` of what each searched chunk cites; -1 for nothing."""
        chunks = self.table(CHUNKS).select(["indexed", "citation", "version_date"]).to_pydict()
        rows = zip(chunks["indexed"], chunks["citation"], chunks["version_date"], strict=True)
        found = [self._provision_rows.get((c, v), -1) for indexed, c, v in rows if indexed]
        return np.array(found, dtype=np.int64)

    def eligible(self, as_of: date | None) -> Mask:
        """Searched chunks whose provision is law on a day: bool, shape (searched chunks,).

        :class:`tasks.law.LawInForce` says what law is; None asks for the latest version of each Act.
        """
        rows = self._cited_rows
        if not len(rows):
            return np.zeros(0, dtype=bool)
        return np.asarray(self._law.mask(as_of)[rows] & (rows >= 0), dtype=bool)

    @cached_property
    def citable(self) -> Mask:
        """Searched chunks that are cited like a section: bool, shape (searched chunks,)."""
        columns = self.table(PROVISIONS).select(["kind", "number"]).to_pydict()
        cited = list(map(stands_alone, columns["kind"], columns["number"]))
        rows = self._cited_rows
        return np.array(cited, dtype=bool)[rows] & (rows >= 0) if len(rows) else np.zeros(0, dtype=bool)

    def in_force(self, provision_id: str, as_of: date | None) -> bool:
        """Whether a provision is law on a day, as :meth:`eligible` has it."""
        return self._law.holds(provision_id, as_of)

    def pages(self, provision_id: str, as_of: date | None) -> list[tuple[str, int]]:
        """(document_id, page) of every page on which a provision stands as it is law on a day."""
        found = self.table(PROVISIONS).select(["document_id", "page_start", "page_end"])
        rows = found.take(pa.array(self._law.rows(provision_id, as_of), pa.int64())).to_pylist()
        return [(r["document_id"], page) for r in rows for page in range(r["page_start"], r["page_end"] + 1)]

    @cached_property
    def _places(self) -> dict[str, tuple[str, tuple[str, int]]]:
        columns = self.table(CHUNKS).select(["chunk_id", "act_id", "document_id", "page_start"]).to_pydict()
        return {c: (a, (d, p)) for c, a, d, p in zip(*columns.values(), strict=True)}

    def place(self, chunk_id: str) -> tuple[str, tuple[str, int]]:
        """Act of a chunk, and the document and page on which it begins."""
        return self._places[chunk_id]

    def source(self, chunk_id: str) -> tuple[str, int]:
        """File of a chunk as it was named when the build was published, and the page on which it begins."""
        _, (document_id, page) = self.place(chunk_id)
        return self._files.get(document_id, document_id), page

    def attributes(self, provision_id: str) -> dict[str, str]:
        """What the First Schedule of a Code of procedure says of an offence: ``bailable``, ``cognizable``.

        ``Yes`` or ``No`` where all its entries for the section agree, ``Varies`` where they differ;
        nothing where the Schedule is silent, or its words depend on something or could not be read.
        """
        return dict(self._classified.get(provision_id, {}))

    @cached_property
    def _classified(self) -> dict[str, dict[str, str]]:
        return classified(self.table(CLASSIFICATION), self.names(), self.cited)

    # search -------------------------------------------------------------------

    @cached_property
    def _dense(self) -> Any:
        return read_dense(self.folder / DENSE)

    @cached_property
    def _sparse(self) -> SparseIndex:
        return SparseIndex.load(self.folder / SPARSE)

    @cached_property
    def embed_config(self) -> EmbedConfig:
        """The configuration of the encoder this build was made with."""
        return EmbedConfig(**self.manifest["embed"])

    @cached_property
    def encoder(self) -> TextEncoder:
        """What passages and queries of this build are encoded with, loaded at first use.

        Raises
        ------
        ModelError
            If its weights are not to be had or have another digest.
        """
        weights = str(self.manifest["weights"])
        return encoder_of(
            self.embed_config, weights, self.manifest.get("query_weights", weights), self.models
        )

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        told = self.manifest
        return str(told.get("query_space") or told.get("space", told["weights"]))[:32]

    def encode_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of queries: float32, shape (texts, dimension)."""
        return self.encoder.encode(texts, query=True)

    def dense_search(
        self, queries: Matrix, k: int, eligible: Mask | None = None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """Scores and rows of the ``k`` nearest searched chunks a query; -1 for none."""
        return search_dense(self._dense, queries, k, eligible)

    @cached_property
    def story_mean(self) -> Matrix | None:
        """Mean vector of the background stories, shape (dimension,); None if the build has none."""
        if STORY_MEAN not in self.manifest["files"]:
            return None
        return np.asarray(np.load(self.folder / STORY_MEAN, allow_pickle=False), dtype=np.float32)

    @cached_property
    def _rarity(self) -> Callable[[str], float]:
        return rarity(self.table(BACKGROUND).column("text").to_pylist(), self._sparse.analyser)

    def sparse_scores(self, text: str, rarity: bool = False) -> npt.NDArray[np.float32]:
        """BM25 of every searched chunk for a query; ``rarity``: terms by their rarity in the stories."""
        return self._sparse.scores(text, self._rarity if rarity else None)

    @cached_property
    def expansion(self) -> Expansion | None:
        """The lay texts of the build; None where those it was indexed with name none of its provisions.

        Raises
        ------
        BuildError
            If it was indexed without any.
        """
        if EXPANSION.file in self.manifest["files"]:
            return Expansion.read(self.folder)
        if "expansion" in self.manifest:
            return None
        raise BuildError(
            f"{self.folder}: holds no lay texts for lay_dense and lay_sparse to search; index with "
            "index=expanded, or with index.expansion=[FILE]"
        )

    def told(self, row: int) -> Sequence[str]:
        """The lay texts of the provision that the chunk of a row cites; none where it has none."""
        if EXPANSION.file not in self.manifest["files"] or self.expansion is None:
            return ()
        return self.expansion.texts.get(self.citations[self.chunk_ids[row]] or "", ())

    def token_vectors(self) -> Callable[[int], npt.NDArray[np.float16]] | None:
        """A function from row to the token vectors of its chunk, memory-mapped; None if not kept."""
        if not (self.folder / TOKENS).is_file():
            return None
        offsets = np.load(self.folder / TOKEN_OFFSETS, allow_pickle=False)
        dimension = int(self.manifest["dimension"])
        flat = np.memmap(self.folder / TOKENS, dtype=np.float16, mode="r").reshape(-1, dimension)
        return lambda row: flat[offsets[row] : offsets[row + 1]]

    def vectors(self, rows: Sequence[int]) -> Matrix:
        """Vectors of searched chunks by row: float32, shape (rows, dimension)."""
        out = [self._dense.reconstruct(int(row)) for row in rows]
        return np.asarray(out, dtype=np.float32).reshape(len(rows), self._dense.d)

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each searched chunk by id."""
        return {chunk_id: row for row, chunk_id in enumerate(self.chunk_ids)}

    @cached_property
    def _searched(self) -> list[dict[str, Any]]:
        columns = ["chunk_id", "header", "text", "text_hash", "n_tokens", "indexed", "act_id"]
        return [r for r in self.table(CHUNKS).select(columns).to_pylist() if r["indexed"]]

    @cached_property
    def mean_tokens(self) -> float:
        """Mean number of tokens of a searched chunk, its header not counted."""
        return float(np.mean([row["n_tokens"] for row in self._searched])) if self._searched else 0.0

    def passage(self, row: int) -> dict[str, Any]:
        """Header, text, text_hash, n_tokens and act_id of a searched chunk by row."""
        return self._searched[row]

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        out: dict[str, list[int]] = {}
        for row, chunk_id in enumerate(self.chunk_ids):
            cited = self.citations[chunk_id]
            if cited is not None:
                out.setdefault(cited, []).append(row)
        return out

    def family(self, row: int) -> Sequence[int]:
        """Rows of all chunks that cite what the chunk of ``row`` cites."""
        cited = self.citations[self.chunk_ids[row]]
        return self._rows_of[cited] if cited is not None else [row]

    @cached_property
    def _counterparts(self) -> Counterparts:
        return Counterparts(self.acts, self._sections_of, self.correspondence)

    def _sections_of(self, act_id: str) -> list[dict[str, Any]]:
        """Provisions of an Act as its latest version has them."""
        versions = [version for act, version in self._act_rows if act == act_id]
        latest = max((v for v in versions if v is not None), default=None)
        told = ["provision_id", "kind", "number", "heading", "text", "status", "parent_id"]
        table = self.table(PROVISIONS).select([*told, "act_id", "version_date"])
        own = table.filter(pc.equal(table.column("act_id"), act_id)).to_pylist()
        return [row for row in own if row["version_date"] == latest]

    def counterparts(self, provision_id: str) -> list[Counterpart]:
        """The provisions that took the place of a section, or whose place it took; the nearest first."""
        return self._counterparts.of(provision_id.partition("__")[0])

    @property
    def untold(self) -> list[str]:
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
    def _citations(self) -> Citations:
        columns = self.table(PROVISIONS).select(["kind", "act_id", "provision_id", "number"]).to_pydict()
        return Citations(zip(*columns.values(), strict=True))

    def cited(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """Ids of the provisions that are cited so; :meth:`tasks.citations.Citations.cited` has the rules."""
        return self._citations.cited(kind, number, act_id)

    def last_day(self, act_id: str) -> date | None:
        """Last day on which an Act was law; None while it is, or where the registry does not tell."""
        found = [a["in_force_to"] for (act, _), a in self._act_rows.items() if act == act_id]
        return max((day for day in found if day is not None), default=None)

    def labelled(self, act_id: str, section: str) -> list[str]:
        """Ids of the provisions that a label of a benchmark means."""
        return self._citations.labelled(act_id, section)

    def rows_of(self, provision_id: str) -> Sequence[int]:
        """Rows of the searched chunks that cite a provision, of all its versions."""
        return self._rows_of.get(provision_id, ())

    def numbered(self, kind: str, number: str, act_id: str | None) -> list[tuple[str, list[int]]]:
        """(provision_id, rows of its chunks) of the provisions that are cited so."""
        return [(p, self._rows_of[p]) for p in self.cited(kind, number, act_id) if p in self._rows_of]

    def search(self, text: str, k: int = 5, as_of: date | None = None) -> list[Any]:
        """The ``k`` provisions that fit ``text`` best, as :class:`tasks.hits.Hit`.

        Parameters
        ----------
        text
            A complaint or question in plain words.
        k
            Number of provisions.
        as_of
            Day whose law applies; None takes the latest version of each Act.
        """
        from tasks.cascade import Cascade, CascadeConfig

        trained, expanded = bool(self.embed_config.query_model), EXPANSION.file in self.manifest["files"]
        config = CascadeConfig.chosen(k, trained=trained, expanded=expanded)
        return list(Cascade(self, config).run({"q": text}, as_of).hits["q"])
