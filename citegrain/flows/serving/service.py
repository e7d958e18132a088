"""What answers, whoever asks: routes and tools call these functions, and these call the library.

Questions that wait together are answered at once. A new build is opened beside the one that answers and takes
its place when it is whole: each answer is of one build.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from citegrain.flows.serving import messages as m
from citegrain.flows.shared.library import Build, Question, QuestionError
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import AMENDMENTS, PROVISIONS
from citegrain.tasks.core.store.files import temporary_name
from citegrain.tasks.core.tables import read_table, write_table
from citegrain.tasks.law.citations import numbered
from citegrain.tasks.law.editions_compared import amendments
from citegrain.tasks.offline.index import alike, check_name, list_builds, published_names, read_pointer
from citegrain.tasks.offline.models import ModelError, begun
from citegrain.tasks.online.answer import Answer, Charge, Picture
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.provision import Provision, not_in_build

T = TypeVar("T")
LOG = logging.getLogger("citegrain.service")
_FEW, _BATCH = 4, 16  # questions answered at once; of many half: the second processor reads the rest
_MOST_OPEN = 4  # builds in memory
_IN_HINDI = "mera malik वेतन नहीं दे रहा, बैलेंसशीट"  # of each kind of words, one in no lexicon
_OF_PASSAGE = 200  # characters that find its page
PROVISIONS_AT = "/v1/provisions/"


class Busy(Exception):
    """As many requests wait as may; another try in a second may find room."""


class NoBuild(LookupError, Expected):
    """No build of this name is published."""


class OpenBuilds:
    """The current builds of a folder, each opened once; ``usual``: asked where none is named."""

    def __init__(self, folder: Path, models: Path, usual: str = "") -> None:
        self.folder, self.models, self.usual = folder, models, usual
        self.faults: dict[str, str] = {}
        self._open: dict[str, Build] = {}
        self._coming: set[str] = set()
        self._lock = Lock()

    def get(self, name: str = "") -> Build:
        """The build of a name that answers now, while a newer one is opened. Raises NoBuild, BuildError."""
        name = name or self.usual or self._only()
        build, key = self._open.get(name), self._current(name)
        if build is None:
            with self._lock:
                build = self._open.get(name) or self._opened(name)
        elif build.folder.name != key and key not in self._coming:
            self._coming.add(key)
            Thread(target=self._take, args=(name, key), daemon=True).start()
        return build

    @property
    def labels(self) -> list[str]:
        """Name and key of each that is open."""
        return [build.label for build in list(self._open.values())]

    def _only(self) -> str:
        names = published_names(self.folder)
        if len(names) != 1:
            raise NoBuild(f"name a build: {', '.join(names) or 'none is published yet'}")
        return names[0]

    def _current(self, name: str) -> str:
        try:
            key = read_pointer(self.folder / check_name(name) / "current")
        except (ValueError, OSError):
            key = ""
        if not key:
            there = ", ".join(published_names(self.folder)) or "none"
            raise NoBuild(f"no build {name!r} is published{alike(self.folder, name)}: there is {there}")
        return key

    def _opened(self, name: str) -> Build:
        build = Build.open(self.folder / name, self.models)
        build.ask("a")  # models are loaded, tables read
        while len(self._open) >= _MOST_OPEN:
            self._open.pop(next(other for other in self._open if other != self.usual))
        self._open[name] = build
        self.faults.pop(name, None)
        begun(lambda: Glosses.over(build).read(_IN_HINDI))  # a second of work: the first who asks waits less
        Thread(target=_compare, args=(build.folder,), daemon=True).start()
        return build

    def _take(self, name: str, key: str) -> None:
        try:
            with self._lock:
                opened = self._opened(name)
            LOG.info("%s: %s answers from now on", name, opened.folder.name)
            self._coming.discard(key)
        except (Expected, OSError, LookupError) as error:  # its key stays: it is not tried at each request
            reason = self.without_path(error)
            self.faults[name] = f"{name}: the new build cannot be opened, the one before answers: {reason}"
            LOG.error(self.faults[name])

    def without_path(self, error: Exception) -> str:
        """What an error says, without where on this machine the builds lie."""
        return str(error).replace(f"{self.folder}/", "")


@dataclass
class _Waiting:
    """A question that waits for its answer."""

    build: Build
    question: Question
    answer: asyncio.Future[Answer]


class Service:
    """Answers over the builds of a folder; where ``most`` requests are at work or wait, Busy is raised."""

    def __init__(
        self, builds: OpenBuilds, most: int = 32, on_batch: Callable[[int], None] = lambda n: None
    ) -> None:
        self.builds, self.most, self.on_batch = builds, most, on_batch
        self.waiting = 0
        self._questions: deque[_Waiting] = deque()
        self._work: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "questions")  # others may take all threads of the default one

    async def ask(self, request: m.AskRequest) -> tuple[Build, Answer]:
        """The answer to a question, with the build that gave it: another may be current by then."""
        with self._place():
            build = await asyncio.to_thread(self.builds.get, request.build)
            alike = {name: getattr(request, name) for name in ("k", "as_of", "confidence", "full", "matters")}
            question = Question(request.question, acts=acts_of(build, request), **alike)
            waiting = _Waiting(build, question, asyncio.get_running_loop().create_future())
            self._questions.append(waiting)
            if self._work is None or self._work.done():
                self._work = asyncio.create_task(self._answer_all())
            else:  # it waits for others; what is wrong with the model, its answer will say
                with suppress(ModelError):
                    await asyncio.to_thread(build.begin, question.text)
            return build, await waiting.answer

    async def search(self, request: m.SearchRequest) -> m.SearchHits:
        """The provisions that fit a text."""

        def look(build: Build) -> m.SearchHits:
            result = build.search(request.text, request.k, request.as_of, acts_of(build, request) or ())
            hits = [m.SearchHit(**{n: getattr(hit, n) for n in m.SearchHit.model_fields}) for hit in result]
            return m.SearchHits(build=build.label, reason=result.reason, message=result.message, hits=hits)

        return await self.work(request.build, look)

    async def provision(self, what: str, as_of: str = "", build: str = "") -> Provision:
        """A provision by its id or by words, with its text on a day and its address here."""
        one = await self.work(build, lambda opened: opened.provision(what, as_of))
        return one.model_copy(update={"url": address(one, one.as_of, build)})

    async def contents(self, act: str, as_of: str, start: int, most: int, build: str) -> m.Contents:
        """The provisions of an Act in their order, some at once."""

        def look(opened: Build) -> m.Contents:
            rows, alike = opened.contents(act, as_of), ("provision_id", "heading", "in_force", "page")
            shown = [
                m.ListedProvision.model_validate({n: row[n] for n in alike} | {"provision": numbered(row)})
                for row in rows[start : start + most]
            ]
            (act_id,) = opened.acts_called(act)
            title = next(row["title"] for row in opened.acts if row["act_id"] == act_id)
            day = opened.day(as_of).isoformat()
            return m.Contents(act=act_id, title=title, as_of=day, total=len(rows), provisions=shown)

        return await self.work(build, look)

    async def page(self, provision_id: str, as_of: str = "", build: str = "", passage: str = "") -> Picture:
        """The page of a provision, marked."""
        return await self.work(build, lambda opened: opened.picture(provision_id, as_of, passage))

    async def neighbours(self, provision_id: str, build: str = "") -> m.Neighbours:
        """What a provision cites, and what cites it."""

        def look(opened: Build) -> m.Neighbours:
            if not opened.has_provision(provision_id):
                raise not_in_build(opened, provision_id)
            rows = opened.graph(provision_id).get(provision_id, [])
            return m.Neighbours(provision_id=provision_id, edges=[_edge(row) for row in rows])

        return await self.work(build, look)

    async def changes(self, build: str, old: str, act: str, start: int, most: int) -> m.Changes:
        """What moved from a build to the one that answers; ``old``: its key, empty: that before."""

        def compare(opened: Build) -> m.Changes:
            from citegrain.tasks.evaluation.promotion import in_order, one_before  # a question needs neither

            before = old or one_before(opened.folder) or "before this one"
            if not (opened.folder.with_name(before) / "manifest.json").is_file():
                more = "" if old else ": the next re-index gives one to compare"
                raise NoBuild(f"{opened.folder.parent.name}: there is no build {before}{more}")
            one, two, at = in_order(opened.folder.with_name(before), opened.folder)
            rows = _changes(one, two)
            meant = {act} if act in {row.act for row in rows} else opened.acts_called(act) if act else set()
            some = [row for row in rows if not act or row.act in meant]
            shown = some[start : start + most]
            return m.Changes(old=one.name, new=two.name, rolled_back=at, total=len(some), changes=shown)

        return await self.work(build, compare)

    async def published(self) -> list[m.BuildRow]:
        """The published builds."""
        with self._place():
            rows = await asyncio.to_thread(list_builds, self.builds.folder)
        facts = [{n: getattr(row, n) for n in m.BuildRow.model_fields} for row in rows]
        days = [datetime.fromtimestamp(f["since"], UTC).isoformat(timespec="seconds") for f in facts]
        return [m.BuildRow(**f | {"since": day}) for f, day in zip(facts, days, strict=True)]

    def health(self) -> m.Health:
        """Whether all is well."""
        reasons = list(self.builds.faults.values())
        if not published_names(self.builds.folder):
            reasons.append("no build is published yet: run citegrain index")
        if self.waiting >= self.most:
            reasons.append(f"{self.waiting} requests wait: others are sent away")
        return m.Health(
            status="degraded" if reasons else "ok",
            reasons=reasons,
            builds=self.builds.labels,
            waiting=self.waiting,
        )

    async def work(self, build: str, function: Callable[[Build], T]) -> T:
        """A function of a build, in a thread. Raises Busy."""
        with self._place():
            return await asyncio.to_thread(lambda: function(self.builds.get(build)))

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self.waiting >= self.most:
            raise Busy
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _answer_all(self) -> None:
        """Answer until nobody waits, those of one build at once. A fault hits its own question alone."""
        while self._questions:
            build = self._questions[0].build
            batch: list[_Waiting] = []
            size = min(_BATCH, max(_FEW, len(self._questions) // 2))
            while self._questions and self._questions[0].build is build and len(batch) < size:
                waiting = self._questions.popleft()
                batch += [] if waiting.answer.done() else [waiting]  # whoever asked may be gone
            self.on_batch(len(batch))
            try:
                await self._answer(build, batch)
            except Exception:  # noqa: BLE001 - whatever it is, it may be of one question
                for one in batch:
                    try:
                        await self._answer(build, [one])
                    except Exception as error:  # noqa: BLE001 - whoever asked is told
                        if not one.answer.done():
                            one.answer.set_exception(error)

    async def _answer(self, build: Build, batch: Sequence[_Waiting]) -> None:
        questions = [one.question for one in batch]
        answers = await asyncio.get_running_loop().run_in_executor(self._thread, build.ask_all, questions)
        for one, answer in zip(batch, answers, strict=True):
            if not one.answer.done():
                one.answer.set_result(answer)


def acts_of(build: Build, where: m.Where) -> frozenset[str] | None:
    """Ids of the Acts that a request means; None: all. Raises QuestionError if there are none."""
    if not (where.acts or where.kinds or where.jurisdictions):
        return None
    chosen = frozenset().union(*map(build.acts_called, where.acts))
    searched = frozenset(
        act["act_id"]
        for act in build.acts
        if (not where.acts or act["act_id"] in chosen)
        and (not where.kinds or act["kind"] in where.kinds)
        and (not where.jurisdictions or act["jurisdiction"] in where.jurisdictions)
    )
    if not searched:
        there = (
            f"{name}s {', '.join(sorted({a[name] for a in build.acts if a[name]}))}"
            for name in ("kind", "jurisdiction")
        )
        raise QuestionError(f"no document of this build is of all these; there are {' and '.join(there)}")
    return searched


def address(row: Charge | Provision, day: str, build: str, place: str = PROVISIONS_AT) -> str:
    """Where the service shows the page of a provision, in place of a file here; empty where it has none."""
    if not (row.url and row.link.partition("#")[0].lower().endswith(".pdf")):
        return ""
    passage = row.evidence[:_OF_PASSAGE] if isinstance(row, Charge) else ""
    query = {"as_of": day, "build": build.partition("/")[0], "passage": passage}
    return f"{place}{quote(row.provision_id)}/page?{urlencode({n: v for n, v in query.items() if v})}"


def addressed(answer: Answer) -> Answer:
    """An answer with the addresses of :func:`address`."""

    def listed(charges: Sequence[Charge]) -> list[Charge]:
        where = answer.as_of.day, answer.build
        return [charge.model_copy(update={"url": address(charge, *where)}) for charge in charges]

    matters = [m.model_copy(update={"charges": listed(m.charges)}) for m in answer.matters]
    lists = {"charges": listed(answer.charges), "others": listed(answer.others), "matters": matters}
    return answer.model_copy(update=lists)


def _edge(row: dict[str, Any]) -> m.Edge:
    texts = {name: row[name] or "" for name in m.Edge.model_fields if name not in ("page", "times")}
    return m.Edge.model_validate(texts | {"page": row["page"] or 0, "times": row["times"]})


def act_row(act: dict[str, Any]) -> m.ActRow:
    """A row of ``acts`` as it is shown."""
    return m.ActRow(
        act=act["act_id"],
        names=act["aliases"],
        version=str(act["version_date"] or ""),
        sections=act["n_sections"],
        title=act["title"],
        kind=act["kind"],
        jurisdiction=act["jurisdiction"],
        reading=act["reading"],
        in_force_from=str(act["in_force_from"] or ""),
        in_force_to=str(act["in_force_to"] or ""),
    )


def _compare(new: Path) -> None:
    """Compare a build with the one before it, so that nobody waits for it."""
    before = read_pointer(new.parent / "previous")
    if before and before != new.name and new.with_name(before).is_dir():
        from citegrain.tasks.evaluation.promotion import in_order

        first, second, _ = in_order(new.with_name(before), new)
        with suppress(OSError, ValueError):  # who asks for the changes gets to know
            if not _report(first, second).exists():
                _changes(first, second)


def _report(old: Path, new: Path) -> Path:
    """Where the amendments between two builds stand: those that a re-index reported, else those stored."""
    reported = new.with_name(f"{new.name}.amendments") / AMENDMENTS.file
    if reported.exists() and read_pointer(new.parent / "previous") == old.name:
        return reported
    return new.with_name(f"{new.name}.changes") / f"{old.name}.parquet"  # goes with the build


@lru_cache(maxsize=8)
def _changes(old: Path, new: Path) -> list[m.Change]:
    """The amendments between two builds: those that are reported, else compared once and stored."""
    report = _report(old, new)
    if report.exists():
        table = read_table(report, AMENDMENTS)
    else:
        table = amendments(*(read_table(f / PROVISIONS.file, PROVISIONS) for f in (old, new)))
        with suppress(OSError):  # a folder that may only be read: it is computed again after the next start
            report.parent.mkdir(exist_ok=True)
            part = report.with_name(temporary_name(f".{report.name}."))
            write_table(part, table, AMENDMENTS)
            part.replace(report)
    return [
        m.Change(
            act=row["act_id"],
            kind=row["kind"],
            old_id=row["old_id"] or "",
            new_id=row["new_id"] or "",
            heading=row["heading"],
            evidence=row["evidence"],
            provision=numbered(row | {"kind": row["unit"]}),
            old_words=[c["old"] for c in row["changes"] if c["op"] != "keep" and c["old"]],
            new_words=[c["new"] for c in row["changes"] if c["op"] != "keep" and c["new"]],
        )
        for row in table.to_pylist()
    ]
