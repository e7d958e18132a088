"""Parameters of what surrounds the stages: the corpus, measuring, re-indexing, how and when work is run."""

import zoneinfo
from dataclasses import dataclass, field
from datetime import datetime

from cronsim import CronSim, CronSimError

from citegrain.tasks.core.endpoint import BACKENDS, LIVE, MODES, OPENAI
from citegrain.tasks.offline.http import HttpConfig
from citegrain.tasks.offline.index import check_name


@dataclass(frozen=True)
class CorpusConfig:
    """Where the documents are and what the build is called; ``core.paths.located`` reads the paths.

    ``sources``: list of the URLs of a corpus over HTTP. ``counterparts``: table of which sections took the
    place of which (JSON lines or CSV); empty: they are matched by headings and texts. It is read when
    questions are asked, and shapes no build.
    """

    kind: str = "folder"
    name: str = ""
    path: str = ""
    sources: str = ""
    http: HttpConfig = field(default_factory=HttpConfig)
    recipe: str = ""
    registry: str = "data:registry.yaml"
    counterparts: str = ""
    roles: list[str] = field(default_factory=lambda: ["victim", "culprit"])
    attributes: list[str] = field(default_factory=lambda: ["bailable", "cognizable"])

    def __post_init__(self) -> None:
        if self.kind not in ("demo", "folder", "texts", "http", "published"):
            raise ValueError(f"corpus.kind={self.kind}: demo, folder, texts, http or published")
        if self.kind == "http" and not self.sources:
            raise ValueError("corpus.sources is missing: add corpus.sources=LIST.yaml")
        check_name(self.name)


@dataclass(frozen=True)
class EndpointConfig:
    """How a language model is reached, wherever a setting asks one; its address and key the environment has.

    Its fields are as :class:`~citegrain.tasks.core.endpoint.Endpoint` has them. ``model``: empty: that of
    ``CITEGRAIN_LLM_MODEL``. ``replies``: empty: ``batch/replies.jsonl`` of the artefacts. ``second``,
    ``second_backend``: the model that is asked where the first fails, and whose requests it takes; empty:
    those of the first. ``CITEGRAIN_LLM_SECOND_BASE_URL``, ``_MODEL`` and ``_KEY`` name it too.
    """

    mode: str = LIVE
    model: str = ""
    replies: str = ""
    price_in: float = 0.0
    price_out: float = 0.0
    backend: str = OPENAI
    api_version: str = "2024-10-21"
    second: str = ""
    second_backend: str = ""

    def __post_init__(self) -> None:
        if min(self.price_in, self.price_out) < 0:
            raise ValueError("endpoint: prices must not be negative")
        if self.mode not in MODES:
            raise ValueError(f"endpoint.mode={self.mode}: one of {', '.join(MODES)}")
        for backend in (self.backend, self.second_backend or self.backend):
            if backend not in BACKENDS:
                raise ValueError(f"endpoint.backend={backend}: one of {', '.join(BACKENDS)}")


@dataclass(frozen=True)
class RunnerConfig:
    """How work is run; nothing here shapes a result.

    Attributes
    ----------
    kind
        ``local``: processes of this machine; ``dask``: workers of a Dask cluster.
    address
        Of the cluster's scheduler; empty: a cluster is started on this machine.
    workers
        Processes, where they are started here; 0: one a core.
    threads
        Of an encoder; 0: the library's choice.
    timeout, memory_gib
        What one stage run of a document may take: seconds, and GiB of memory.
    resources
        What the stage runs of a stage need of a worker, by stage: ``embed: {gpu: 1}``.
    """

    kind: str = "local"
    address: str = ""
    workers: int = 0
    threads: int = 0
    timeout: int = 900
    memory_gib: float = 4.0
    resources: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in ("local", "dask"):
            raise ValueError(f"runner.kind={self.kind}: local or dask")
        if self.kind == "local" and (self.address or self.resources):
            raise ValueError("runner.address and runner.resources are of a cluster: add runner=dask")
        if self.workers < 0 or self.threads < 0 or self.timeout < 1 or self.memory_gib <= 0:
            raise ValueError("runner: workers and threads must not be negative, limits must be positive")


@dataclass(frozen=True)
class ScheduleConfig:
    """When a corpus is re-indexed; ``corpus`` says which. At most one run is at work at a time.

    ``cron``: minute, hour, day of the month, month and day of the week, by the clock of ``timezone``, an IANA
    name. ``interval``: seconds from one run to the next, instead of ``cron``; 0 to go by ``cron``.
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
