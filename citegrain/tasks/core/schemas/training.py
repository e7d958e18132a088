"""Tables of ``train``."""

from __future__ import annotations

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column

_S, _I, _F = pa.string(), pa.int32(), pa.float64()

LEARNING = TableSchema(
    "learning",
    1,
    pa.schema(
        [
            column("step", _I, "steps done"),
            column("epoch", _F, "passes over the texts done"),
            column("split", _S, "train, held_out or unseen"),
            column("metric", _S, "loss, mrr, first, in_20 or set_in_20"),
            column("value", _F, "its value, of the loss the mean since the row before"),
            column("n", _I, "texts it is a mean of"),
        ]
    ),
)

LEARNED = TableSchema(
    "learned",
    1,
    pa.schema(
        [
            column("id", _S, "the text: act/section/style, or the story's id"),
            column("kind", _S, "plain, scene, message or story"),
            column("split", _S, "held_out: a provision kept back; unseen: an Act kept back"),
            column("rank_before", _I, "rank of the primary provision by the base model, 1 is best"),
            column("rank_after", _I, "rank of the primary provision by the reader"),
            column("worst_before", _I, "rank of the last of all that apply, by the base model"),
            column("worst_after", _I, "rank of the last of all that apply, by the reader"),
        ]
    ),
)
