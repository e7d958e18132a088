"""Table of what moved between two versions of an Act."""

from __future__ import annotations

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column

_S, _I, _D = pa.string(), pa.int32(), pa.date32()

_CHANGE = pa.struct([pa.field("op", _S), pa.field("old", _S), pa.field("new", _S)])

AMENDMENTS = TableSchema(
    "amendments",
    1,
    pa.schema(
        [
            column("act_id", _S, "the Act"),
            column("old_version", _D, "version compared with", null=True),
            column("new_version", _D, "version that is looked at", null=True),
            column(
                "kind",
                _S,
                "inserted, substituted, renumbered or omitted; printing: words differ by slips of the "
                "press alone, which is no amendment",
            ),
            column("unit", _S, "section, article, rule, entry or schedule"),
            column("number", _S, "as cited: the new number; of what is omitted the old one"),
            column("heading", _S, "its heading, the new one where there is one"),
            column("old_number", _S, "as cited in the old version", null=True),
            column(
                "moved_from",
                _S,
                "number under which nearly this text stood in the old version, where that number was "
                "given to another text",
                null=True,
            ),
            column("old_id", _S, "provision_id in the old version; null of what is inserted", null=True),
            column("new_id", _S, "provision_id in the new version; null where it prints nothing", null=True),
            column("old_document", _S, "document of the old version", null=True),
            column("new_document", _S, "document of the new version", null=True),
            column(
                "old_page", _I, "page on which it begins in the old document, 1-based", "pages", null=True
            ),
            column(
                "new_page", _I, "page on which it begins in the new document, 1-based", "pages", null=True
            ),
            column("old_hash", _S, "SHA-256 of its words in the old version", null=True),
            column("new_hash", _S, "SHA-256 of its words in the new version", null=True),
            column(
                "changes",
                pa.list_(_CHANGE),
                "word by word, in order: op is keep, delete, insert or replace; long runs that are kept "
                "are cut in the middle",
            ),
            column(
                "similarity",
                pa.float64(),
                "share of words that are kept in order, 0 to 1; 0 of what is inserted or omitted",
            ),
            column("evidence", _S, "what the new version prints of the amendment; empty if nothing"),
        ]
    ),
)
