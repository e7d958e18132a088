"""What a Prefect task lets through: states that work returns are drawn, errors leave as they were raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.shared import prefect_environment

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]


def test_states_are_drawn_and_errors_leave_as_they_are(tmp_path: Path) -> None:
    prefect_environment.apply(tmp_path)
    from prefect import flow
    from prefect.states import Completed, Failed

    from citegrain.flows.shared.prefect_tasks import run_as_task

    done = []

    def failing() -> Any:
        return Failed(message="an exception is told of in this message")

    def raising() -> Any:
        raise KeyError("lantern")

    @flow(name="t")
    def dag() -> None:
        run_as_task("one", "one", lambda: Completed(message="done"))
        run_as_task("two", "two", failing)
        done.append("both")
        with pytest.raises(KeyError, match="lantern"):
            run_as_task("three", "three", raising)
        run_as_task("three", "again", raising)

    with pytest.raises(KeyError, match="lantern"):
        dag()
    assert done == ["both"]
