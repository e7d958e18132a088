"""Tables of judgments: what each is, and what it says of others."""

from __future__ import annotations

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column

_S, _I, _D = pa.string(), pa.int32(), pa.date32()
_LIST = pa.list_(_S)

JUDGMENTS = TableSchema(
    "judgments",
    1,
    pa.schema(
        [
            column("document_id", _S, "the document"),
            column("case_name", _S, "as its cause title has it: A v. B"),
            column("court", _S, "the court; empty if no page names it"),
            column("bench", _LIST, "its judges, given names first"),
            column("date", _D, "day of the decision", null=True),
            column("citations", _LIST, "AIR, SCC, SCR, INSC and neutral citations, as printed"),
            column("also_reported", _LIST, "its citations in other reports"),
            column("docket", _S, "number of the case; empty if none was read"),
            column("print", _S, "court, judis, report or publisher: by which it was recognised"),
        ]
    ),
)

PRECEDENTS = TableSchema(
    "precedents",
    1,
    pa.schema(
        [
            column("source_id", _S, "paragraph that cites, or headnote"),
            column("act_id", _S, "judgment of the source"),
            column("offset", _I, "where the name or citation stands in texts.text", "characters"),
            column("name", _S, "name of the case as printed; empty where only a citation stands"),
            column("citations", _LIST, "its citations as printed there or in the footnote"),
            column(
                "relation",
                _S,
                "overruled, reversed, doubted, distinguished, followed, approved, explained or cited",
            ),
            column("words", _S, "the words that say so; empty for cited"),
            column("target_act", _S, "the judgment cited, where it is in the build", null=True),
        ]
    ),
)
