"""Parameters of ``retrieve``, and the learned files that they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citegrain.tasks.core import plugins
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import ModelError

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
