"""The Acts that texts name, each text read once: they follow from the text and from the names of all Acts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.law.citing import Acts, NamedAct

_PLACE = pa.struct(
    [("start", pa.int32()), ("end", pa.int32()), ("act_id", pa.string()), ("title", pa.string())]
)
_ROWS = pa.schema([("text", pa.string()), ("named", pa.list_(_PLACE))])


def named_in(texts: Iterable[str], acts: Acts, store: Path | None, version: int) -> dict[str, list[NamedAct]]:
    """The Acts that each text names, by text.

    Parameters
    ----------
    store
        Folder of the store, in which they are kept; None where they are not.
    version
        Of the stage that finds them.
    """
    by_key = {hashlib.sha256(text.encode()).hexdigest()[:32]: text for text in texts}
    if store is None:
        return {text: acts.named(text) for text in by_key.values()}
    rows = RowStore(store, "graph", digest([version, acts.names])[:32], _ROWS, "text")
    stored = rows.read(list(by_key)).to_pylist()
    cached = {row["text"]: [NamedAct(**place) for place in row["named"]] for row in stored}
    found = {key: acts.named(text) for key, text in by_key.items() if key not in cached}
    named = [[asdict(place) for place in places] for places in found.values()]
    rows.append(pa.table([list(found), named], schema=_ROWS))
    return {text: cached[key] if key in cached else found[key] for key, text in by_key.items()}
