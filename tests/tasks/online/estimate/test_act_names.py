"""What the sections of a build on repeals name."""

from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa

from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.online.estimate import repealed_acts


def test_an_act_is_repealed_here_if_a_section_on_repeals_names_it() -> None:
    provisions = pa.table({"provision_id": ["a/sec_1", "a/sec_9"], "heading": [None, "Repeal and savings"]})
    sources, targets = ["a/sec_1", "a/sec_9", "a/sec_9"], ["other-act-1950", "old-act-1930", None]
    references = pa.table({"source_id": sources, "target_act": targets})
    tables = {PROVISIONS: provisions, REFERENCES: references}
    build = SimpleNamespace(shared=lambda _, make: make(), has=tables.__contains__, table=tables.__getitem__)
    assert repealed_acts(cast(Any, build)) == {"old-act-1930"}
