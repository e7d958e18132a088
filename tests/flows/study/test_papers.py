"""The grid of the paper-QA system from recorded replies: the prompts of today are those that were answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.flows.study.reproduce import PAPERS_STUDY, measure_papers
from citegrain.tasks.published.reproduce import grid_figures
from tests.flows.conftest import Quiet


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.prefect
def test_every_prompt_has_its_reply(tmp_path: Path) -> None:
    measure_papers([f"artifacts='{tmp_path}'", "fuse.k=3"], Quiet())
    figures = grid_figures(tmp_path / "reports" / PAPERS_STUDY)
    assert (figures["extracted"].value, figures["extracted"].n) == (0, 24)
    # six questions have no source, and none of them is counted as found
    assert figures["source_accuracy.closed"].n == figures["cited_page_accuracy.open"].n == 18
    assert figures["similarity.in_scope"].value > 0.6 > figures["similarity.out_of_scope"].value
