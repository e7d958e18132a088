"""A stage that says each Act aloud: all that a new stage needs besides its line in ``offline.chain``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from citegrain.tasks.core.schemas import TEXTS
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup


@dataclass(frozen=True)
class ShoutConfig:
    """How loud."""

    exclamation: str = "!"


def shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    return asdict(setup.configs["shout"]), {}


def shout(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    rows = artefacts["structure"].table(TEXTS).to_pylist()
    mark = setup.configs["shout"].exclamation
    return {TEXTS.name: TEXTS.rows([row | {"text": row["text"].upper() + mark} for row in rows])}


DOCUMENT_STAGE = DocumentStage(
    Stage("shout", 1, (TEXTS,)), ShoutConfig, ("structure",), shape, shout, (), "shouted"
)
