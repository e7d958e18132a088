"""When a corpus is re-indexed by itself."""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import datetime

from cronsim import CronSim, CronSimError


@dataclass(frozen=True)
class ScheduleConfig:
    """When a corpus is re-indexed; ``corpus`` says which. At most one run is at work at a time.

    Attributes
    ----------
    cron
        Minute, hour, day of the month, month, day of the week.
    timezone
        Clock on which they are read: an IANA name.
    interval
        Seconds from one run to the next, instead of ``cron``; 0 to go by ``cron``.
    """

    cron: str = "30 2 * * *"
    timezone: str = "Asia/Kolkata"
    interval: float = 0.0

    def __post_init__(self) -> None:
        if len(self.cron.split()) != 5:  # a sixth, seconds, is known to neither cron nor Prefect
            raise ValueError(
                f"schedule.cron={self.cron!r}: five fields are needed, from minute to day of the week"
            )
        try:
            CronSim(self.cron, datetime(2000, 1, 1))
        except CronSimError as error:
            raise ValueError(f"schedule.cron={self.cron!r}: {error}") from None
        if self.interval < 0:
            raise ValueError("schedule.interval must not be negative")
        try:
            zoneinfo.ZoneInfo(self.timezone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"schedule.timezone={self.timezone!r}: not an IANA time zone") from None

    @property
    def words(self) -> str:
        """The schedule in words."""
        if self.interval:
            return f"every {self.interval:g} s"
        return f"at {self.cron} ({self.timezone})"
