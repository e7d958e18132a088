"""When: the fields of cron, whose clock they are read on, and the line of a crontab."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citegrain.flows.serving.serve import crontab
from citegrain.flows.shared.configs import ScheduleConfig
from citegrain.flows.shared.prefect_tasks import set_up_prefect
from citegrain.flows.shared.settings import SettingsError, load_settings
from citegrain.tasks.core.errors import UsageFault
from tests.flows.conftest import Done


@pytest.mark.parametrize(
    "cron",
    [
        "30 2 * * *",
        "*/15 0-6,22 1,15 * mon-fri",
        "0 0 1 jan-mar/2 7",
        "59 23 31 12 0",
        "0 3 * * SUN",
        "0 0 29 feb *",
        "0 0 31 2,3 *",
        "0 3 1-31/2 * mon",
    ],
)
def test_expressions_that_cron_and_prefect_both_know(cron: str, tmp_path: Path) -> None:
    set_up_prefect(tmp_path)
    from prefect.server.schemas.schedules import CronSchedule

    from citegrain.flows.serving.scheduled import prefect_schedule

    assert prefect_schedule(ScheduleConfig(cron=cron)).cron == cron
    assert asyncio.run(CronSchedule(cron=cron, timezone="UTC").get_dates(2))


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("", "five fields"),
        ("0 3 * *", "five fields"),
        ("@daily", "five fields"),
        ("0 3 * * * *", "five fields"),
        ("60 3 * * *", "Bad minute"),
        ("0 5-3 * * *", "Bad hour"),
        ("0 3 * * $(id)", "Bad day-of-week"),
        ("0 0 31 2 *", "Bad day-of-month"),
    ],
)
def test_expressions_that_are_refused(cron: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ScheduleConfig(cron=cron)


@pytest.mark.parametrize(
    "override", ["schedule.timezone=Mars/North", "schedule.timezone=/etc/passwd", "schedule.interval=-1"]
)
def test_other_values_that_are_refused(override: str) -> None:
    with pytest.raises(SettingsError, match="schedule"):
        load_settings([override])


@pytest.mark.parametrize(
    ("timezone", "expected"),
    [
        ("Asia/Kolkata", ["28 01:00", "29 01:00", "30 01:00"]),
        ("Europe/Berlin", ["28 05:30", "29 04:30", "30 04:30"]),  # the clocks go forward on the 29th
    ],
)
def test_half_past_six_is_read_on_the_clock_of_the_time_zone(
    tmp_path: Path, timezone: str, expected: list[str]
) -> None:
    set_up_prefect(tmp_path)
    from prefect.server.schemas.schedules import CronSchedule

    from citegrain.flows.serving.scheduled import prefect_schedule

    schedule = prefect_schedule(ScheduleConfig(cron="30 6 * * *", timezone=timezone))
    assert schedule.cron is not None
    serverside = CronSchedule(cron=schedule.cron, timezone=schedule.timezone)
    dates = asyncio.run(serverside.get_dates(3, datetime(2026, 3, 28, tzinfo=UTC)))
    assert [f"{day.astimezone(UTC):%d %H:%M}" for day in dates] == expected


def test_an_interval_comes_before_cron(tmp_path: Path) -> None:
    set_up_prefect(tmp_path)
    from citegrain.flows.serving.scheduled import prefect_schedule

    schedule = prefect_schedule(ScheduleConfig(interval=90))
    assert schedule.interval == timedelta(seconds=90) and schedule.cron is None


def test_the_line_of_a_crontab_says_the_same(tmp_path: Path) -> None:
    config = ScheduleConfig(cron="0 3 * * mon", timezone="Europe/Berlin")
    overrides = ["corpus=http", "corpus.sources='/a b/50%.yaml'", "schedule.cron='0 3 * * mon'"]
    text = crontab(config, "mine", overrides, "/my env/bin/python", Path("/the repo"), tmp_path)
    *comments, zone, line = text.splitlines()
    assert all(comment.startswith("#") for comment in comments) and zone == "CRON_TZ=Europe/Berlin"
    assert line.startswith("0 3 * * mon cd ") and line.count("%") == line.count(r"\%") == 1
    words = shlex.split(line.removeprefix("0 3 * * mon ").replace(r"\%", "%"))  # as cron hands it on
    assert words == [
        "cd", "/the repo", "&&", "/my env/bin/python", "-m", "citegrain", "reindex",
        "corpus=http", "corpus.sources='/a b/50%.yaml'", ">>", f"{tmp_path}/reindex-mine.log", "2>&1",
    ]  # fmt: skip


def test_what_a_crontab_cannot_say() -> None:
    for config, overrides in [(ScheduleConfig(interval=5), ["a=b"]), (ScheduleConfig(), ["a=b\nc"])]:
        with pytest.raises(UsageFault, match="crontab"):
            crontab(config, "mine", overrides, "python", Path("/"), Path("/"))


def test_the_command(call: Callable[..., Done]) -> None:
    done = call("schedule", "--crontab", "corpus.name=mine", "schedule.cron='0 3 * * *'")
    assert done.returncode == 0
    old_name = call("serve", "--crontab", "corpus.name=mine", "schedule.cron='0 3 * * *'")
    assert old_name.stdout == done.stdout and "now called schedule" in old_name.stderr
    assert "\nCRON_TZ=Asia/Kolkata\n0 3 * * * cd " in done.stdout
    assert " -m citegrain reindex corpus.name=mine >> " in done.stdout
    for override, words in [
        ("schedule.cron='0 99 * * *'", "Bad hour"),
        ("schedule.interval=5", "schedule.interval cannot be written"),
        ("corpus=published", "add corpus=folder or corpus=http"),
    ]:
        wrong = call("schedule", "--crontab", "corpus.name=mine", override)
        assert wrong.returncode == 2 and words in wrong.stderr
