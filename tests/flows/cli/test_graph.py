"""What ``citegrain graph`` says where there is too little to show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.conftest import Done

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]


def test_a_build_with_too_few_references_says_so_on_one_line(
    call: Callable[..., Done], once_indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAIN_ARTIFACTS", str(once_indexed))
    done = call("graph", "predict", "corpus.name=mine")
    assert done.returncode == 1 and "too few" in done.stderr and "Traceback" not in done.stderr
