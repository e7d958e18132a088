"""What asking takes from the environment, and an answer as JSON."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citegrain.flows.shared.counterparts import with_counterparts
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.law.asof import AsOf, resolve
from citegrain.tasks.law.counterparts import Correspondence, changes_of
from citegrain.tasks.online.generate import Endpoint, GenerateConfig
from citegrain.tasks.online.search import Build

if TYPE_CHECKING:
    from citegrain.tasks.online.cascade import CascadeResult


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
    path = settings.files.counterparts
    table = Correspondence.load(path) if path else None
    return Build.open(folder, settings.models_folder, table)


def day_of(asked: str, text: str, today: date, build: Build) -> AsOf:
    """The day whose law applies to a complaint, as ``law.asof.resolve`` has it."""
    return resolve(asked, text, today, changes_of(build.acts))


def as_json(text: str, as_of: AsOf, build: Build, result: CascadeResult) -> dict[str, Any]:
    """The answer as JSON: what was asked, the answer of the schema, and how it was checked."""
    row = result.answers.to_pylist()[0]
    answer: dict[str, Any] = json.loads(row["answer"]) if row["answer"] else {"charges": [], "note": ""}
    answer["charges"] = [with_counterparts(build, charge) for charge in answer["charges"]]
    checked = {name: row[name] for name in row if name.startswith("n_")}
    return {
        "query": text,
        "as_of": as_of.as_dict(),
        "build": f"{build.folder.parent.name}/{build.folder.name}",
        **answer,
        "abstained": row["abstained"],
        "error": row["error"],
        "checked": checked,
        "reply": {name: row[name] for name in ("parse_pass", "attempts", "tokens_in", "tokens_out", "cost")},
    }
