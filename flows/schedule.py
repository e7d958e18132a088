"""When a corpus is re-indexed by itself: what the configuration tells, and the same as a line of cron's."""

from __future__ import annotations

import re
import shlex
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
# name, least, most, words for numbers from the least on
_FIELDS: tuple[tuple[str, int, int, Sequence[str]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _DAYS),
)
# a step only after * or a range: 5/15 is four times an hour to Prefect, once to Vixie's cron, wrong to others
_PART = re.compile(r"(?:\*|(\w+)-(\w+))(?:/(\d{1,3}))?|(\w+)")
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class ScheduleConfig:
    """When; what is re-indexed is told by ``corpus``. At most one run is at work at a time.

    Attributes
    ----------
    cron
        Minute, hour, day of the month, month, day of the week.
    timezone
        Whose clock they are read on, an IANA name.
    interval
        Seconds from one run to the next, in place of ``cron``; 0: by ``cron``.
    """

    cron: str = "30 2 * * *"
    timezone: str = "Asia/Kolkata"
    interval: float = 0.0

    def __post_init__(self) -> None:
        _check_cron(self.cron)
        if self.interval < 0:
            raise ValueError("schedule.interval must not be negative")
        try:
            zoneinfo.ZoneInfo(self.timezone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"schedule.timezone={self.timezone!r}: no IANA time zone") from None

    @property
    def told(self) -> str:
        """It in words."""
        if self.interval:
            return f"every {self.interval:g} s"
        return f"at {self.cron} ({self.timezone})"


def _check_cron(cron: str) -> None:
    """Whether an expression has a day at all, and cron and Prefect read it alike.

    Five fields, no names but of months and days.
    """
    fields = cron.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(
            f"schedule.cron={cron!r}: five fields are wanted: {', '.join(f[0] for f in _FIELDS)}"
        )
    values: list[set[int]] = []
    for text, (name, least, most, words) in zip(fields, _FIELDS, strict=True):
        parts = [_values(part, least, most, words) for part in text.split(",")]
        if not all(parts):
            raise ValueError(f"schedule.cron={cron!r}: {text} is no {name}")
        values.append(set().union(*parts))
    _, _, day, _, weekday = fields
    # one of the two is enough to Prefect, Vixie's cron wants both where one begins with *
    if day != "*" and weekday != "*" and "*" in day + weekday:
        raise ValueError(
            f"schedule.cron={cron!r}: cron and Prefect read * in a day of the month beside a day of the week "
            "differently; write the days out"
        )
    # whatever the day of the week is: Prefect looks for the day of the month first and finds none
    if all(min(values[2]) > _LONGEST[month - 1] for month in values[3]):
        raise ValueError(f"schedule.cron={cron!r}: there is no such day")


def _values(part: str, least: int, most: int, words: Sequence[str]) -> set[int]:
    """What a part of a field stands for: ``*`` or a range in order, perhaps with a step, or one value.

    Empty if it is none of them.
    """
    match = _PART.fullmatch(part)
    if not match or (match[3] and not int(match[3])):
        return set()
    told = [word.lower() for word in match.group(1, 2, 4) if word]
    values = [words.index(w) + least if w in words else int(w) if w.isdecimal() else -1 for w in told]
    if not all(least <= v <= most for v in values) or values != sorted(values):
        return set()
    first, last = (values[0], values[-1]) if values else (least, most)
    return set(range(first, last + 1, int(match[3] or 1)))


def crontab(
    config: ScheduleConfig, name: str, overrides: Sequence[str], python: str, root: Path, artifacts: Path
) -> str:
    """Lines for ``crontab -e`` that do what ``citegrain serve`` does, without a server.

    Parameters
    ----------
    name
        Of the corpus.
    python, root, artifacts
        The interpreter, the folder of the repository, the folder of everything produced.

    Raises
    ------
    ValueError
        If the schedule is an interval, or an override holds a line break.
    """
    if config.interval:
        raise ValueError("schedule.interval has no line in a crontab: tell schedule.cron")
    if any("\n" in override for override in overrides):
        raise ValueError("a line of a crontab holds no line break")
    own = [override for override in overrides if not override.startswith("schedule.")]
    log = artifacts / f"reindex-{name}.log"
    command = (
        f"cd {shlex.quote(str(root))} && {shlex.quote(python)} -m flows reindex {shlex.join(own)} "
        f">> {shlex.quote(str(log))} 2>&1"
    )
    # cron turns a bare % into a line break
    line = f"{config.cron} {command}".replace("%", r"\%")
    return (
        "# the variable of corpus.http.auth_env, where there is one, has to be set here too\n"
        "# cronie reads CRON_TZ; where cron does not, the fields are on the machine's own clock\n"
        f"CRON_TZ={config.timezone}\n{line}"
    )
