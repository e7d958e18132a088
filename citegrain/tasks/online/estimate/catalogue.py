"""The catalogue of what law there is, and the names by which a question may mean an Act of it or of a build.

A question may be nearer to an absent Act than to any that is here.

Titles are facts; the lines say what people ask under each, in their words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as validated

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.core.store.files import content_hash, hash_file
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.citing import ActNames, Lexicon, titles_of
from citegrain.tasks.law.instruments import STATES, slug
from citegrain.tasks.offline.embed import read_shipped, shipped_vectors
from citegrain.tasks.offline.index import SparseIndex
from citegrain.tasks.offline.models import Encoder, TwoEncoders
from citegrain.tasks.online.builds import Matrix, PublishedBuild, by_columns, products

CATALOGUE = "data:catalogue.jsonl"
WORDS = "catalogue_words"
WORDS_SHA256 = "c03248778383deb2a150c9248410aa89266bb1bf635cc98baf377170cd406cbc"
"""``content_hash`` of its files."""
VECTORS = "catalogue.safetensors"
Flags = npt.NDArray[np.bool_]
_BARE = re.compile(r"\s+(?:act|code|sanhita|adhiniyam)\b.*$")
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_BY_WORDS = 0.03  # of BM25 beside the cosine: texts are named rightly 75% of the time, 50% without (n 224)
_BY_TITLE = 0.2  # of the share of a title's words that a text has: docs/log.md
_PLACE = re.compile(  # in small letters
    rf"\b(?:{STATES}|bengal|bombay|calcutta|dekkhan|hyderabad|madras|mysore|aligarh|banaras|visva)\b"
)


@validated(frozen=True)
class Entry:
    """An Act, or a subject of other law, with lines of what people ask under it.

    ``kind``: ``central`` Act, subject of ``state`` law, or ``other``: law of other countries, custom, advice.
    ``also``: lines of which no model has learned how near they are; by them it is only named.
    """

    title: str
    kind: Literal["central", "state", "other"]
    asked: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """Entries and the vectors of their lines.

    ``vectors``: of all lines ``asked``, then of all ``also``: float32, shape (lines, dimension). ``words``:
    index of ``asked``; None: it is made when it is needed.
    """

    entries: Sequence[Entry]
    vectors: Matrix
    words: SparseIndex | None = None

    @classmethod
    def lines(cls) -> tuple[Sequence[Entry], list[str]]:
        """The entries that ship, and all their lines."""
        adapter = TypeAdapter(Entry)
        text = located(CATALOGUE).read_text(encoding="utf-8")
        entries = [adapter.validate_json(line) for line in text.splitlines()]
        return entries, [line for kind in ("asked", "also") for e in entries for line in getattr(e, kind)]

    @classmethod
    def from_build(cls, build: PublishedBuild, vectors: str, sha256: str) -> Catalogue:
        """The catalogue in the vector space of a build's queries, which keeps it.

        ``vectors`` and ``sha256``: file of the vectors that ship, and its digest; lines of another space are
        encoded.
        """
        return build.shared(("catalogue", sha256), lambda: cls._read(build, vectors, sha256))

    @classmethod
    def _read(cls, build: PublishedBuild, vectors: str, sha256: str) -> Catalogue:
        entries, lines = cls.lines()
        by_line = shipped_vectors(read_shipped(located(vectors), sha256, build.query_space), lines)
        missing = [i for i in range(len(lines)) if i not in by_line]
        out = np.zeros((len(lines), int(build.manifest["dimension"])), dtype=np.float32)
        out[list(by_line)] = list(by_line.values()) if by_line else np.zeros((0, out.shape[1]))
        if missing:
            out[missing] = build.encode_queries([lines[i] for i in missing])
        return cls(entries, by_columns(out), shipped_words())

    @classmethod
    def read_by(cls, encoder: Encoder | TwoEncoders) -> Catalogue:
        """The catalogue as an encoder reads it."""
        entries, lines = cls.lines()
        return cls(entries, encoder.encode(lines, query=True))

    @cached_property
    def _starts(self) -> npt.NDArray[np.intp]:
        """Position of the first line of each entry."""
        return np.cumsum([0, *(len(entry.asked) for entry in self.entries)])[:-1]

    @cached_property
    def index(self) -> SparseIndex:
        """Of the words of each entry; that of those that ship lies beside them, .1 s of work."""
        return self.words or self.indexed()

    def indexed(self) -> SparseIndex:
        """The index, made anew."""
        texts = [" ".join((entry.title, *entry.asked)) for entry in self.entries]
        return SparseIndex.build(texts, Analyser("english", "en"), k1=1.5, b=0.75)

    @cached_property
    def other(self) -> Flags:
        """Whether each entry is no law of India."""
        return np.array([entry.kind == "other" for entry in self.entries])

    @cached_property
    def foreign(self) -> Flags:
        """Whether each entry is law of another country."""
        return np.array([entry.title.startswith("law of ") for entry in self.entries])

    @cached_property
    def names(self) -> npt.NDArray[np.str_]:
        """Title of each entry without its year."""
        return np.array([entry.title.rstrip("0123456789") for entry in self.entries])

    @cached_property
    def _places(self) -> dict[int, set[str]]:
        """The places of each title that has any."""
        titles = enumerate(entry.title.lower() for entry in self.entries)
        return {i: set(places) for i, title in titles if (places := _PLACE.findall(title))}

    @cached_property
    def _titles(self) -> tuple[dict[str, list[int]], npt.NDArray[np.float64]]:
        """The entries whose titles have each term, and what the terms of each title weigh."""
        rows, weights = dict[str, list[int]](), np.ones(len(self.entries))
        for i, entry in enumerate(self.entries):
            name = _IN_BRACKETS.sub("", entry.title).rstrip(", 0123456789")
            terms = dict.fromkeys(self.index.analyser.terms(name))
            weights[i] = sum(map(self.index.idf, terms)) or 1.0
            for term in terms:
                rows.setdefault(term, []).append(i)
        return rows, weights

    def likely(self, near: Matrix, text: str, present: Flags) -> Matrix:
        """How likely each entry is what a question is about: by nearness, and its share of a title's words.

        None that is not ``present`` is law of a place, or of another country, that is not said: ``-inf``.
        """
        (titles, weights), said = self._titles, np.zeros(len(self.entries))
        for term in filter(titles.get, dict.fromkeys(self.index.analyser.terms(text))):
            said[titles[term]] += self.index.idf(term)
        possible, here = ~self.foreign | self.speaks_of_abroad(text), set(_PLACE.findall(text.lower()))
        for i, places in self._places.items():
            possible[i] = not here.isdisjoint(places)
        likely = near + (_BY_TITLE * said / weights).astype(near.dtype)
        return np.where(possible | present, likely.astype(np.float64), -np.inf)

    @cached_property
    def _of_abroad(self) -> Flags:
        """Whether a fifth of the entries that have a term are foreign, by its column in the index."""
        rows, starts = (self.index.arrays[name] for name in ("indices", "indptr"))
        return np.asarray(5 * np.add.reduceat(self.foreign[rows], starts[:-1], dtype=int) >= np.diff(starts))

    def speaks_of_abroad(self, text: str) -> bool:
        """Whether a text may be of abroad: of a word a fifth of the entries are foreign, or none has it."""
        columns = map(self.index.columns.get, self.index.analyser.terms(text))
        return any(column is None or self._of_abroad[column] for column in columns)

    @cached_property
    def _also(self) -> npt.NDArray[np.intp]:
        """The entry of each line of ``also``."""
        return np.repeat(np.arange(len(self.entries)), [len(entry.also) for entry in self.entries])

    def near(self, vector: Matrix, text: str) -> tuple[Matrix, Matrix]:
        """How near each entry is, by its nearest line and by words; and with the lines of ``also``."""
        n_asked = len(self.vectors) - len(self._also)
        asked, also = np.split(products(vector[None], self.vectors)[0], [n_asked])
        near = np.maximum.reduceat(asked, self._starts)
        np.maximum.at(nearest := near.copy(), self._also, also)
        words = _BY_WORDS * self.index.scores(text)
        return np.asarray(near + words), np.asarray(nearest + words)

    def near_each(self, vectors: Matrix, texts: Sequence[str], among: npt.NDArray[np.intp]) -> Matrix:
        """The same of several questions, for some entries alone, by position: shape (questions, entries)."""
        lines = [len(self.entries[i].asked) for i in among]
        rows = np.concatenate(
            [np.arange(self._starts[i], self._starts[i] + n) for i, n in zip(among, lines, strict=True)]
        )
        starts = np.cumsum([0, *lines])[:-1]
        likeness = np.maximum.reduceat(products(vectors, self.vectors[rows]), starts, axis=1)
        return np.asarray(likeness + _BY_WORDS * np.stack([self.index.scores(t)[among] for t in texts]))

    def acts(self, lexicon: Lexicon) -> list[str]:
        """Id of the Act that each entry is, of those whose names these are; empty for none."""
        titles = [entry.title if entry.kind == "central" else "" for entry in self.entries]
        places = ([n for n in lexicon.find(t) if n.start <= len("The ") and n.end == len(t)] for t in titles)
        return [names[0].act_ids[0] if names else "" for names in places]

    def present(self, build: PublishedBuild) -> Flags:
        """Whether a build has the Act of each entry, or rules that bear its name: shape (entries,)."""
        rules = [f"-{slug(act['title'])}-" for act in build.acts if act["kind"] == "rules"]
        names = [f"-{slug(_BARE.sub('', entry.title.lower()))}-" for entry in self.entries]
        under = [
            entry.kind == "central" and any(name in title for title in rules)
            for entry, name in zip(self.entries, names, strict=True)
        ]
        acts = np.array(list(map(bool, self.acts(build.lexicon))))
        return np.asarray(acts | np.array(under, dtype=bool))


def shipped_words() -> SparseIndex | None:
    """The index of the words of the entries that ships, unless its files are others."""
    folder = located(CATALOGUE).with_name(WORDS)
    hashes = {file.name: hash_file(file) for file in folder.iterdir()} if folder.is_dir() else {}
    return SparseIndex.load(folder) if content_hash(hashes) == WORDS_SHA256 else None


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
