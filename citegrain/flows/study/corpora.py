"""The builds that the configurations of a study search: each is opened, and its labels are resolved, once."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from citegrain.flows.index.run import build_for
from citegrain.flows.shared.asking import open_build
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.stage import digest
from citegrain.tasks.evaluation.benchmark import Benchmark, resolve
from citegrain.tasks.evaluation.score import GoldQuery, make_gold, place_spans

WAITING = "its build does not exist yet"
"""Why a configuration has no chain where builds must not be made."""


def recipe_of(settings: Settings) -> str:
    """Digest of what a configuration's build is made from."""
    return digest([asdict(settings.corpus), [asdict(stage) for stage in settings.offline]])


def plan_line(ready: int, waiting: Sequence[Settings], queries: int, runs: int, missing: int) -> str:
    """What a study will do: its configurations, its stage runs, and how many of these are there.

    ``waiting``: settings of those whose builds are missing: of their stage runs nothing is known yet.
    """
    n = ready + len(waiting)
    configurations = f"{n} configuration{'s' if n != 1 else ''} x {queries} queries"
    to_make = f", {missing} to make" if missing else ""
    line = f"{configurations}, {runs} stage runs, {runs - missing} already present{to_make}"
    if not waiting:
        return line
    builds = len(set(map(recipe_of, waiting)))
    are = f"{builds} build{'s are' if builds != 1 else ' is'} to be made first"
    whose = f"{len(waiting)} configuration{'s have' if len(waiting) != 1 else ' has'}"
    return f"{line}; {are}, whose {whose} stage runs that are not counted"


@dataclass(frozen=True)
class Corpus:
    """A build, and the labels of a benchmark resolved to its provisions."""

    build: Build
    gold: list[GoldQuery]
    warnings: Sequence[str]


@dataclass
class Corpora:
    """The builds of a study; with ``exact`` made by the offline settings, whatever was published."""

    benchmark: Benchmark
    as_of: Mapping[str, date | None]
    progress: Progress
    make: bool
    exact: bool
    _folders: dict[str, Path | None] = field(default_factory=dict)
    # a build is opened with the user's table of counterparts, which is not part of its folder
    _opened: dict[tuple[Path, str], Corpus] = field(default_factory=dict)

    @property
    def opened(self) -> list[Corpus]:
        """The builds opened so far, in this order."""
        return list(self._opened.values())

    def corpus_for(self, settings: Settings) -> Corpus | None:
        """The build of a configuration; None where it is missing and must not be made. Raises Expected."""
        recipe = recipe_of(settings)
        if recipe not in self._folders:
            self._folders[recipe] = build_for(settings, self.progress, self.make, self.exact)
        folder = self._folders[recipe]
        if folder is None:
            return None
        key = folder, settings.corpus.counterparts
        if key not in self._opened:
            self._opened[key] = open_corpus(open_build(folder, settings), self.benchmark, self.as_of)
        return self._opened[key]


def open_corpus(build: Build, benchmark: Benchmark, as_of: Mapping[str, date | None]) -> Corpus:
    """A build with the labels of a benchmark resolved to its provisions."""
    resolution = resolve(benchmark, build.labelled, {act_id for act_id, _, _ in build.names()})
    spans, missing = place_spans(benchmark, build)
    gold = make_gold(benchmark, resolution.provisions, build, as_of, spans)
    return Corpus(build, gold, [*resolution.warnings, *missing])
