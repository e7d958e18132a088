"""Provisions of the Acts of the shared corpus, with the days on which they are law."""

from __future__ import annotations

from dataclasses import asdict

import pyarrow as pa
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.merge import fill_validity
from tests.data.complaints import ACTS


@pytest.fixture(scope="session")
def provisions(real_acts: dict[str, Tables]) -> pa.Table:
    acts = [
        asdict(ACTS[act_id]) | {"version_date": tables["provisions"]["version_date"][0].as_py()}
        for act_id, tables in real_acts.items()
    ]
    return fill_validity(pa.concat_tables([t["provisions"] for t in real_acts.values()]), acts)
