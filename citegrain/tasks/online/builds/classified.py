"""What the First Schedule of a Code of procedure says of an offence, by the provision that punishes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from citegrain.tasks.law.citing import Lexicon

ATTRIBUTES = ("bailable", "cognizable")
"""What is said of an offence."""


def classified(
    table: pa.Table,
    lexicon: Lexicon,
    cited: Callable[[str, str, str | None], Sequence[str]],
) -> dict[str, dict[str, str]]:
    """``bailable`` and ``cognizable`` by provision id, where the Schedule says so.

    ``Yes`` or ``No`` where all its entries for the section agree, ``Varies`` where they differ; an
    entry whose words depend on something or could not be read leaves nothing to say.

    Parameters
    ----------
    table
        Table ``classification``.
    lexicon
        Names of the Acts, by which the law of an entry is found.
    cited
        From kind, number as cited and act_id to the ids of the provisions that are cited so.
    """
    entries_by_provision: dict[str, dict[str, set[str]]] = {}
    for row in table.to_pylist():
        number = row["number"].split("(")[0]
        acts = {act for named in lexicon.find(row["law"]) for act in named.act_ids}
        for provision_id in [p for act in acts for p in cited("section", number, act)]:
            entries = entries_by_provision.setdefault(provision_id, {})
            for name in ("bailable", "cognizable"):
                entries.setdefault(name, set()).add(row[name])
    return {
        provision_id: {
            name: next(iter(values)) if len(values) == 1 else "Varies"
            for name, values in entries.items()
            if "" not in values
        }
        for provision_id, entries in entries_by_provision.items()
    }
