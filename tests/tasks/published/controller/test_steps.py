"""What a controller searches, over the build of the golden files."""

from __future__ import annotations

from functools import partial

import pytest

from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.online.rerank import RerankConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from citegrain.tasks.published.controller import Question
from citegrain.tasks.published.controller.steps import _below, _Searching
from tests.golden_outputs import golden_build

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]


def test_what_is_searched_is_found_by_the_text_as_it_was_put() -> None:
    """The query step reads a misspelt word otherwise; the controller asks for what it put."""
    build = golden_build()
    plain = CascadeConfig(
        query=QueryConfig(spelling=True), retrieve=RetrieveConfig(["sparse"]), rerank=RerankConfig("none")
    )
    cascade, put = Cascade(build, plain), "the wages of a lantrn keeper were not paid"
    assert cascade.run({"q": put}).queries.column("text").to_pylist() != [put]
    search = _Searching(build, partial(_below, cascade), "", 3)
    (passages,) = search([Question(put)])
    assert passages
