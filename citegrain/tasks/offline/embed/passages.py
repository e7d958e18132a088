"""Late chunking (Günther and others 2024): a chunk's vector from its tokens as they read in their context.

The encoder reads the chunk with as much of its context as there is room for, and the vector is the mean of
the chunk's tokens alone. Chunks of a context that fits as a whole share one pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from citegrain.tasks.offline.models import Encoder, Matrix

Span = tuple[int, int]
Offsets = Callable[[str], list[Span]]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """What is embedded of a chunk: its header line and its text.

    ``context`` is the text among which it is read by late chunking, and ``at`` where it begins in that.
    """

    header: str
    text: str
    context: str = ""
    at: int = 0

    @property
    def joined(self) -> str:
        return f"{self.header}\n{self.text}" if self.header else self.text

    def behind(self, prefix: str) -> ChunkText:
        """The same behind more context."""
        return replace(self, header="\n".join(filter(None, (prefix, self.header))))


def contexts_of(chunks: Sequence[Mapping[str, Any]], late: str) -> dict[str, tuple[str, int]]:
    """The context of each chunk of a document, and where the chunk stands in it, by chunk id.

    ``chunks``: rows of ``chunks`` that are searched. ``late``: ``section``: those of its section or Article,
    of a rule its Order, of an entry its Schedule; ``document``: all of its Act.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in sorted(chunks, key=lambda row: (row["char_start"], row["char_end"])):
        section = (row["citation"] or row["unit_id"]).partition("~")[0].partition("__")[0]
        groups.setdefault((row["act_id"], section if late == "section" else ""), []).append(row)
    out: dict[str, tuple[str, int]] = {}
    for rows in groups.values():
        text, places = _running(rows)
        out |= {row["chunk_id"]: (text, at) for row, at in zip(rows, places, strict=True)}
    return out


def _running(rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[int]]:
    """The text of some chunks, where they overlap once, and where each begins in it."""
    text, places, end = "", [], -1
    for row in rows:
        repeated = end - row["char_start"]
        if text and repeated < 0:
            text += "\n"
        places.append(len(text) - max(0, repeated))
        text += row["text"][max(0, repeated) :]
        end = max(end, row["char_end"])
    return text, places


def late_window(passage: ChunkText, offsets: Offsets, room: int) -> tuple[str, Span] | None:
    """What is read for a passage, and where its text stands in it; None where there is no room for more.

    ``offsets``: character span of each token of a text. ``room``: tokens that the encoder reads, special ones
    not counted. Of the context both sides get as much.
    """
    context, at = (passage.context, passage.at) if passage.context else (passage.text, 0)
    spans, head = offsets(context), f"{passage.header}\n" if passage.header else ""
    starts = [start for start, _ in spans]
    first, last = bisect_left(starts, at), bisect_left(starts, at + len(passage.text))
    left = room - len(offsets(passage.header)) - (last - first)
    if left < 0 or first == last:
        return None
    before = min(first, max(left // 2, left - (len(spans) - last)))
    stop = min(len(spans), last + left - before)
    begin = starts[first - before]
    where = len(head) + at - begin
    return head + context[begin : spans[stop - 1][1]], (where, where + len(passage.text))


def late_vectors(passages: Sequence[ChunkText], encoder: Encoder) -> tuple[Matrix, list[int]]:
    """The vector of each passage, shape (passages, dimension), and the positions of those without room."""
    offsets = lru_cache(maxsize=8)(encoder.tokenizer.offsets)
    places: dict[str, list[tuple[int, Span]]] = {}
    crowded = []
    for i, passage in enumerate(passages):
        window = late_window(passage, offsets, encoder.max_tokens - encoder.tokenizer.added)
        if window is None:
            crowded.append(i)
        else:
            places.setdefault(window[0], []).append((i, window[1]))
    out = np.zeros((len(passages), encoder.dimension), dtype=np.float32)
    matrices = encoder.span_vectors(
        list(places), [[span for _, span in members] for members in places.values()]
    )
    for members, matrix in zip(places.values(), matrices, strict=True):
        out[[i for i, _ in members]] = matrix
    return out, crowded
