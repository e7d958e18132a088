"""Tasks as Prefect draws them: edges, names, log lines; states that are returned and errors that are raised."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from citegrain.flows.shared import prefect_environment
from tests.flows.prefect_pages import edges, rows, task_runs, wait_for

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]


def test_edges_names_and_log_lines_are_kept_and_errors_leave_as_they_are(tmp_path: Path) -> None:
    prefect_environment.apply(tmp_path)
    from prefect import flow, get_run_logger
    from prefect.states import Completed, Failed

    from citegrain.flows.shared.prefect_tasks import Local, drawn, run_task
    from citegrain.flows.shared.progress import Silent

    def work(what: str) -> Any:
        get_run_logger().info("%s on the lantern", what)
        if what == "raise":
            raise KeyError("lantern")
        return Failed(message="no oil") if what == "fail" else Completed(message="lit")

    unseen = Local(open)

    @flow(name="lantern", flow_run_name="light {corpus}", validate_parameters=False)
    def dag(corpus: str, hidden: Local[Any]) -> None:
        assert hidden is unseen
        first = run_task(work, "fail 1 lamp", "fail")
        second = run_task(work, "light 2 lamps", "light", after=[first])
        assert first.is_failed() and second.is_completed() and second.message == "lit"
        run_task(work, "raise 3 lamps", "raise", after=[first, second])

    with drawn(tmp_path, Silent()), pytest.raises(KeyError, match="lantern"):
        dag("street", unseen)
    assert not logging.getLogger("EventsWorker").isEnabledFor(
        logging.ERROR
    )  # it says each event that is lost

    drawn_edges = edges(wait_for(lambda: task_runs("light street"), lambda tasks: len(tasks) == 3))
    assert drawn_edges["light 2 lamps"] == {"fail 1 lamp"}
    assert drawn_edges["raise 3 lamps"] == {"fail 1 lamp", "light 2 lamps"}
    shown = dict(rows("select name, parameters from flow_run"))
    assert json.loads(shown["light street"]) == {"corpus": "street", "hidden": "<Local>"}
    lines = wait_for(
        lambda: rows("select message from log"), lambda lines: ("light on the lantern",) in lines
    )
    assert ("fail on the lantern",) in lines


@pytest.mark.parametrize("error", ["status", "start", "other"])
def test_a_server_whose_disk_is_full_is_one_line(error: str, tmp_path: Path) -> None:
    from prefect.exceptions import PrefectHTTPStatusError

    from citegrain.flows.shared.prefect_tasks import drawn
    from citegrain.flows.shared.progress import Silent
    from citegrain.tasks.core.store import StoreError

    lost: dict[str, Exception] = {
        "status": PrefectHTTPStatusError(
            "Server error '500' for url 'http://x'\nResponse: {}", request=Mock(), response=Mock()
        ),
        "start": RuntimeError("Timed out while attempting to connect to ephemeral Prefect API server."),
        "other": RuntimeError("a bug"),
    }
    with pytest.raises((StoreError, RuntimeError)) as raised, drawn(tmp_path, Silent()):
        raise lost[error]
    if error == "other":
        assert raised.value is lost[error]
    else:
        message = str(raised.value)
        assert message.startswith("Prefect's own server did not start or was lost (") and "\n" not in message
        assert "is there space left" in message and "http" not in message
        assert message.endswith("What was finished is kept, and the next run continues from there")
