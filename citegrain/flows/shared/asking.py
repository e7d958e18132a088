"""A build that is opened once and asked often: what asking takes from the environment, answers as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from citegrain.flows.shared.answer import Answer, Reply
from citegrain.flows.shared.library import Build, today
from citegrain.flows.shared.settings import Settings
from citegrain.flows.shared.timing import StepTimes
from citegrain.tasks.core.paths import located
from citegrain.tasks.law.asof import AUTO, AsOf, resolve
from citegrain.tasks.law.counterparts import Correspondence, changes_of, replacement
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.explaining import explain
from citegrain.tasks.online.generate import Endpoint, GenerateConfig
from citegrain.tasks.online.rerank import NONE
from citegrain.tasks.online.sheet import Picture, PictureError, draw_page, make_sheet
from citegrain.tasks.online.wording import NO_ADVICE, declined, likelihood

_ASKED = "q"
_COUNTERPART = ("section", "heading", "provision_id", "relation", "source")


def endpoint(config: GenerateConfig) -> Endpoint | None:
    """The endpoint of a model, from the environment; None where no model is asked.

    Raises
    ------
    EndpointError
        If a model is to be asked and its address, name or key is missing.
    """
    if config.kind != "llm":
        return None
    names = ("CITEGRAIN_LLM_BASE_URL", "CITEGRAIN_LLM_MODEL", "CITEGRAIN_LLM_KEY")
    return Endpoint(*(os.environ.get(name, "") for name in names))


def open_build(folder: Path | str, settings: Settings) -> Build:
    """A build with the user's table of counterparts, if the corpus names one.

    Raises
    ------
    BuildError, CorrespondenceError
        If one of them cannot be read.
    """
    path = settings.corpus.counterparts
    table = Correspondence.load(located(path)) if path else None
    return Build.open(folder, settings.models_folder, table)


def is_day(as_of: str) -> bool:
    """Whether ``--as-of`` may be this: a day, ``auto`` or nothing."""
    try:
        return as_of in ("", AUTO) or date.fromisoformat(as_of).isoformat() == as_of
    except ValueError:
        return False


def day_of(asked: str, text: str, today: date, build: Build) -> AsOf:
    """The day whose law applies to a complaint, as ``law.asof.resolve`` has it."""
    return resolve(asked, text, today, changes_of(build.acts))


@dataclass(frozen=True)
class Answered:
    """A question with its answer.

    Attributes
    ----------
    content
        The answer as JSON.
    seconds
        Time of each step.
    """

    content: dict[str, Any]
    applied: AsOf
    result: CascadeResult
    seconds: dict[str, float]


class Asker:
    """A build with its models, loaded once.

    Parameters
    ----------
    save
        Whether pair scores and replies are kept in the store.

    Raises
    ------
    BuildError, CorrespondenceError, EndpointError
        If something that is needed is missing or cannot be read.
    """

    def __init__(self, folder: Path, settings: Settings, save: bool = False) -> None:
        self.build = open_build(folder, settings)
        corpus = settings.corpus
        # demo is what the settings say where no corpus is named
        if corpus.path and (corpus.kind != "demo" or self.build.corpus is None):
            self.build.corpus = located(corpus.path)
        store = settings.store_folder if save else None
        self._cascade = Cascade(self.build, settings.cascade, store, endpoint(settings.generate))
        if settings.rerank.scorer == NONE:
            import faiss
            import torch

            # one question is little work: on a busy machine two threads wait for each other for a second
            torch.set_num_threads(1)
            faiss.omp_set_num_threads(1)

    def warm(self) -> None:
        """Do what is done once: models are loaded, tables read, the Acts that replaced others compared."""
        self.ask("a", "")
        for act in self.build.acts:
            self.build.counterparts(f"{act['act_id']}/")

    def ask(self, text: str, as_of: str, full: bool = False) -> Answered:
        """The answer to one question, by the law of the day that ``as_of`` gives (see :func:`day_of`).

        ``full`` gives each charge the whole text of its provision.
        """
        applied = day_of(as_of, text, today(), self.build)
        times = StepTimes(self._cascade)
        result = self._cascade.run({_ASKED: text}, applied.day, times)
        return Answered(self._content(text, applied, result, full), applied, result, times.seconds)

    def explain(self, answered: Answered) -> list[dict[str, Any]]:
        """Where each provision of an answer stood at every stage, as ``online.explaining.explain`` has it."""
        cascade, result = self._cascade, answered.result
        vector = cascade.vectors(result.queries)[0]
        return explain(self.build, cascade.config, result, vector, cascade.ranker)

    def sheet(self, answered: Answered) -> str:
        """An answer as one HTML page, each provision with its page of the PDF where that is at hand."""
        charges = [charge | {"text": self.full_text(charge)} for charge in answered.content["charges"]]
        pictures = {c["provision_id"]: self._picture(c) for c in charges if c["chunk_id"]}
        answer = answered.content | {"charges": charges}
        return make_sheet(answer, self.explain(answered), pictures, answered.seconds)

    def _picture(self, charge: Mapping[str, Any]) -> Picture | str:
        """The page on which a charge stands, or why it is not shown; nothing for texts without PDFs."""
        document = self.build.place(charge["chunk_id"])[1][0]
        pdf = self.build.pdf(document)
        if pdf is None:
            beside = "the PDF is not at hand: add corpus.path=DIR"
            return beside if charge["link"].lower().partition("#")[0].endswith(".pdf") else ""
        row = self._provision(charge)
        text = f"{row['number']} {row['heading']} {row['text']}"
        try:
            return draw_page(pdf, document, (row["page_start"], row["page_end"]), text, charge["evidence"])
        except PictureError as error:
            return str(error)

    def _provision(self, charge: Mapping[str, Any]) -> dict[str, Any]:
        version = date.fromisoformat(charge["version"]) if charge["version"] else None
        return self.build.provision(charge["provision_id"], version)

    def full_text(self, charge: Mapping[str, Any]) -> str:
        """The whole text of a charge's provision in the version searched; empty where none was selected."""
        return str(self._provision(charge)["text"]) if charge["chunk_id"] else ""

    def _content(self, text: str, as_of: AsOf, result: CascadeResult, full: bool) -> dict[str, Any]:
        """The answer as ``Answer`` has it: what was read, the charges, and how they were checked."""
        build, row = self.build, result.answers.to_pylist()[0]
        answer: dict[str, Any] = json.loads(row["answer"]) if row["answer"] else {"charges": [], "note": ""}
        answer["charges"] = [self._charge(charge, full) for charge in answer["charges"]]
        read = build.encoded_part(text)
        why = answer.get("reason", ""), answer.get("elsewhere", "")
        silent = not answer["charges"] and not row["error"]
        day, acts = as_of.as_dict(), len(build.names())
        content = {
            "query": text,
            "words": {
                "asked": len(text.split()),
                "encoded": len(read.split()),
                "cut": text[len(read) :].strip(),
            },
            "as_of": day,
            "build": f"{build.folder.parent.name}/{build.folder.name}",
            **answer,
            "message": declined(text, *why, acts, day["day"]) if silent else "",
            "abstained": row["abstained"],
            "error": row["error"],
            "checked": {name: row[name] for name in row if name.startswith("n_")},
            "reply": {name: row[name] for name in Reply.model_fields},
            "advice": NO_ADVICE,
        }
        return Answer.model_validate(content).model_dump(exclude={"explanation"})

    def _charge(self, charge: Mapping[str, Any], full: bool) -> dict[str, Any]:
        """A charge with its address, and with what replaced its Act."""
        chunk = charge["chunk_id"]
        pdf = self.build.pdf(self.build.place(chunk)[1][0]) if chunk else None
        return _with_counterparts(self.build, charge) | {
            "likelihood": likelihood(charge.get("probability")),
            "text": self.full_text(charge) if full else "",
            "url": f"{pdf.resolve().as_uri()}#page={charge['page']}" if pdf else "",
        }


def _with_counterparts(build: Build, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with what replaced its Act, or was replaced by it, and with its counterparts there.

    Returns
    -------
    dict
        The charge with ``replacement``, as :func:`law.counterparts.replacement` gives it, and with
        ``counterparts``, a list of {act, section, heading, provision_id, relation, source}, nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    nearest_first = build.counterparts(str(charge["provision_id"]))
    rows = [{"act": c.act_id} | {name: getattr(c, name) for name in _COUNTERPART} for c in nearest_first]
    other = replacement(build.acts, act, nearest_first[0] if nearest_first else None)
    return dict(charge) | {"replacement": other, "counterparts": rows}
