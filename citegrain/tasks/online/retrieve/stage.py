"""Stage ``retrieve``: its parameters, and one run a channel, over batches of queries, of what is law."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core import plugins
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import Ranked, make_run
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.law.citing import names_only, spelled_out
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import Matrix, PublishedBuild

CHANNELS = plugins.Plugins(
    "retrieve.channels", ("citegrain.tasks.online.retrieve.channels", "citegrain.tasks.published.channels")
)

QUESTIONS_SHA256 = "0d75de019d5331bb4815442c208cb18ccfd3a8072579280cb4ec63ac2f9a39c8"
"""Digest of the questions that ship."""

CLASSIFIER_SHA256 = "733e9fe33d227d3137daec13973556dd51aef22a32494a83d62fb5a85dd3f6a8"
"""Digest of the classifier that ships."""

GLOSSED_SHA256 = "3427feca1673592599b92d8420bfd2952753a0f4fa94931cff216b2800d76826"
"""Digest of what was learned beside it from questions in Hindi and Hinglish."""


@dataclass(frozen=True)
class RetrieveConfig:
    """Which channels look, and how deep.

    Attributes
    ----------
    channels
        ``dense`` (vectors), ``sparse`` (BM25), ``provision`` (what the complaint names by number);
        ``lay_dense`` and ``lay_sparse``, the same over the lay texts of provisions (``index.expansion``);
        ``questions``, over questions with known answers; ``classifier``, what was learned from them;
        or any other file of ``retrieve/channels``. ``dense_NAME`` is ``dense`` in the vector space of the
        encoder ``embed.also.NAME``.
    k
        Chunks a channel returns for a query (k_ret of the thesis).
    family
        Whether a hit on a part of a provision brings its other parts, behind it.
    schedules
        Whether entries and forms of Schedules are searched too, beside sections, Articles, rules and such
        entries as are cited like sections (Articles of the Limitation Act).
    counterparts
        Whether a provision that is named, or has lay texts, but is not law on the day gives way to the one of
        the Act that replaced it, or that it replaced (``provision``, ``lay_dense``, ``lay_sparse``).
    others
        Whether chunks of Acts without lay texts stand among those with, at the rank of their own vectors
        (``lay_dense``).
    centre
        Share of the background stories' mean vector that is taken off a query's (channel ``dense``), and
        off a query's and each lay text's (``lay_dense``).
    rarity
        Whether a term weighs by its rarity in the background stories (channel ``sparse``).
    questions, classifier, glossed
        Digests of the questions with known answers, of what the channel ``classifier`` learned, and of what
        it learned besides for questions that are read as English; empty for nothing.
    options
        Parameters of channels that are no fields here, by name.
    """

    channels: list[str] = field(default_factory=lambda: ["dense", "sparse", "provision"])
    k: int = 20
    family: bool = False
    schedules: bool = True
    counterparts: bool = False
    others: bool = True
    centre: float = 0.0
    rarity: bool = False
    questions: str = QUESTIONS_SHA256
    classifier: str = CLASSIFIER_SHA256
    glossed: str = GLOSSED_SHA256
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.channels or len(set(self.channels)) != len(self.channels):
            raise ValueError(f"retrieve.channels={list(self.channels)}: name one or more, each once")
        files = [split_space(channel)[0] for channel in self.channels]
        CHANNELS.check(files, self.options)
        if self.k < 1:
            raise ValueError("retrieve.k must be positive")
        if not 0 <= self.centre <= 1:
            raise ValueError(f"retrieve.centre={self.centre}: between 0 and 1")

    def parameters(self, channel: str) -> dict[str, Any]:
        """The parameters that a channel reads."""
        common = {"channel": channel, "k": self.k, "family": self.family, "schedules": self.schedules}
        return common | plugins.parameters(function(channel), self) | CHANNELS.source(channel)


def split_space(channel: str) -> tuple[str, str]:
    """A channel's file, and the vector space in which it searches; empty for that of the first encoder."""
    file, _, space = channel.partition("_")
    return (file, space) if file in ("dense", "layers") else (channel, "")


def function(channel: str) -> Callable[..., Any]:
    """The function that searches for a channel."""
    return CHANNELS.function(split_space(channel)[0])


def shipped(file: str, sha256: str) -> Path:
    """The file of a digest: one of most names ships with each ranker.

    Raises ModelError if none has it.
    """
    for path in located("data:models").rglob(file):
        if hash_file(path) == sha256:
            return path
    option = file.partition(".")[0]
    raise ModelError(f"retrieve.{option}={sha256}: no {file} of that SHA-256 is in data/models")


def write_labelled(path: Path, name: str, labels: Any, space: str, tensors: Mapping[str, Any]) -> None:
    """Write what was learned; ``space``: digest of the space of queries, as ``query_space`` has it."""
    from safetensors.numpy import save_file

    # one entry: safetensors writes several in any order, and the digest would change
    metadata = {name: json.dumps({"space": space, "labels": labels})}
    save_file(dict(tensors), path, metadata=metadata)


def read_labelled(path: Path, name: str, space: str) -> tuple[Any, dict[str, Any]] | None:
    """Labels and tensors as :func:`write_labelled` wrote them; None where they are of another space."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        described = json.loads(file.metadata()[name])
        if described["space"][:32] != space:
            return None
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 no mapping
        return described["labels"], tensors


LAWS = 64
"""Laws of a day, or of some Acts, for which what labels mean is cached."""

STAGE = Stage("retrieve", 6, (RUNS,))
_FEW, _FIRST, _MOST = 2, 5, 15
"""Provisions of one number that are all given; first rules of an Order; provisions of a question."""


def search_channel(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    channel: str,
    config: RetrieveConfig,
    vectors: Callable[[], Matrix],
    first: Mapping[str, Ranked] | None = None,
) -> pa.Table:
    """The run of one channel. Filtering by the law of each query's day comes before the top k.

    ``vectors``: gives the vector of each query, shape (queries, dimension); called if the channel reads them.
    ``first``: what the other channels found, joined by ranks, by query; given to a channel that reads it.
    """
    search, space = function(channel), split_space(channel)[1]
    build = build.in_space(space) if space else build
    matrix = vectors() if "vectors" in plugins.reads(search) else None
    before = (first or {},) if reads_others(channel) else ()
    values = plugins.parameters(search, config)
    # a complaint that names an entry of a Schedule is led to it all the same
    everything = config.schedules or channel == "provision"
    ranked: dict[str, Ranked] = {}
    for law, members in _by_law(build, queries):
        eligible = law if everything else law & build.citable
        given = (*(() if matrix is None else (matrix[members],)), *before)
        hits = search(build, [queries[i] for i in members], eligible, *given, **values)
        ranked |= _with_family(build, hits, config.k, eligible) if config.family else hits
    return make_run({q["query_id"]: ranked[q["query_id"]] for q in queries}, channel)


def reads_others(channel: str) -> bool:
    """Whether a channel starts from what the others found: its function has a parameter ``first_pass``."""
    return "first_pass" in plugins.reads(function(channel))


def _by_law(build: PublishedBuild, queries: Sequence[Mapping[str, Any]]) -> list[tuple[Mask, list[int]]]:
    """Queries (by position) for which the same chunks are law: days differ more often than the law."""
    groups: dict[bytes, tuple[Mask, list[int]]] = {}
    for i, query in enumerate(queries):
        mask = build.eligible(query["as_of"])
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(i)
    return list(groups.values())


def _with_family(
    build: PublishedBuild, hits: Mapping[str, Ranked], k: int, eligible: Mask
) -> dict[str, Ranked]:
    """Lists in which each hit is followed by the other parts of its provision, cut at ``k``."""
    out: dict[str, Ranked] = {}
    for query, ranked in hits.items():
        scores: dict[str, float] = {}
        for chunk_id, score in ranked:
            scores.setdefault(chunk_id, score)
            for row in build.family(build.rows[chunk_id]):
                if eligible[row]:
                    scores.setdefault(build.chunk_ids[row], score)
        out[query] = list(scores.items())[:k]
    return out


def lawful(
    build: PublishedBuild, provision_id: str, rows: Sequence[int], counterparts: bool, eligible: Mask
) -> list[int]:
    """Those of a provision's rows that are eligible; if none is, with ``counterparts`` its counterpart's."""
    allowed = [row for row in rows if eligible[row]]
    if not allowed and counterparts:
        return list(build.counterpart(provision_id, eligible))
    return allowed


def standing(
    build: PublishedBuild, counterparts: bool, eligible: Mask
) -> Callable[[tuple[str, str]], Sequence[int]]:
    """The chunks by which what a label means stands: of each provision the first that is law.

    What is returned looks a label up once a build and law: counterparts of all labels cost half a second.
    """
    laws: dict[Any, dict[tuple[str, str], Sequence[int]]] = build.shared("standing", dict)
    if len(laws) >= LAWS:
        laws.clear()
    cached = laws.setdefault((eligible.tobytes(), counterparts), {})

    def look_up(label: tuple[str, str]) -> Sequence[int]:
        if label not in cached:
            rows = (
                lawful(build, p, build.rows_of(p), counterparts, eligible) for p in build.labelled(*label)
            )
            cached[label] = [some[0] for some in rows if some]
        return cached[label]

    return look_up


def named_alone(build: PublishedBuild, queries: pa.Table) -> dict[str, dict[str, float]]:
    """What is named by the questions that do nothing but name provisions, in their order.

    Of each the first chunk, and its share: a number that may be of two Acts is half of each.
    """
    out = {}
    for query in queries.to_pylist():
        mentions, plain = query["mentions"], spelled_out(query["text"], build.lexicon)
        if not mentions or names_only(plain, build.lexicon.find(plain)):
            continue
        law, chunks = build.eligible(query["as_of"]), dict[str, float]()
        for mention in mentions:
            kind, number, act = (mention[name] for name in ("kind", "number", "act_id"))
            alike = sum((m["kind"], m["number"]) == (kind, number) for m in mentions)
            meant = build.numbered(kind, number, act)
            if act is None and kind != "order":
                alike = len(meant)
                if alike > _FEW:
                    chunks.clear()
                    break
            for p, rows in meant[:_FIRST]:
                for row in lawful(build, p, rows, True, law)[:1]:
                    chunks.setdefault(build.chunk_ids[row], 1 / alike)
        if chunks:
            out[query["query_id"]] = dict(list(chunks.items())[:_MOST])
    return out
