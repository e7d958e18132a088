"""Tables of the graph of the law: what there is, and what says what of what."""

from __future__ import annotations

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column

_S, _I = pa.string(), pa.int32()

NODES = TableSchema(
    "nodes",
    1,
    pa.schema(
        [
            column("node_id", _S, "provision_id, or act_id of an Act, rules or a judgment"),
            column("kind", _S, "act, rules, judgment, other, or the kind of a provision"),
            column("act_id", _S, "the Act"),
            column("number", _S, "as cited; of an Act its number of the year; empty if unknown"),
            column("title", _S, "heading of a provision, title of an Act, name of a case"),
            column("document_id", _S, "the document; empty of an Act that is named, but not indexed"),
            column("page", _I, "page on which it begins; 0 of an Act that is not indexed", "pages"),
        ]
    ),
)

EDGES = TableSchema(
    "edges",
    1,
    pa.schema(
        [
            column("source_id", _S, "node that says it"),
            column("target_id", _S, "node of which it is said, if there is one", null=True),
            column(
                "kind",
                _S,
                "cites, part_of, derived_from, amended_by, replaced_by or conflicts; of judgments also "
                "overruled, reversed, doubted, distinguished, followed, approved or explained",
            ),
            column("words", _S, "the words that say so; empty for part_of"),
            column("named", _S, "id that the provision named has or would have; empty if it has none"),
            column("reason", _S, "why the target is not the provision named; empty if it is"),
            column("document_id", _S, "document in which the words stand"),
            column("page", _I, "page on which they stand; 0 if unknown", "pages"),
            column("offset", _I, "where they stand in texts.text; -1 if nowhere", "characters"),
        ]
    ),
)
