"""A kind of documents is one package: nothing else is touched, and the stages find it by its name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import citegrain.tasks.kinds
from citegrain.tasks.core.schemas import CHUNKS, TableSchema
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline import document, parse, structure, tag
from citegrain.tasks.offline.corpus import Refusal, Registry, identify
from citegrain.tasks.offline.document import CorpusDocument, Setup

NOTICE = '''
from citegrain.tasks.offline.document import DocumentKind, Recognition
from citegrain.tasks.offline.pages import TitledAct
from citegrain.tasks.offline.structure import structure_acts


def recognise(text):
    """A notice begins with that word."""
    first = text.rows[0].text
    return Recognition([TitledAct(first, "", "notice", 1)], warning="a notice") if first.startswith("NOTICE") else None


def structure(document, parsed, setup):
    """It has paragraphs."""
    return structure_acts(document, parsed, setup)


def tag(rows, registry):
    """It cites the same Act in each of them."""
    cited = {"text": "the Act", "offset": 0, "target_act": "the-act", "target_id": None, "resolved": "no"}
    return [cited | {"source_id": row["provision_id"], "act_id": row["act_id"]} for row in rows], []


KIND = DocumentKind("notice", 5, recognise, structure, tag)
'''
TEXT = b"NOTICE TO TENANTS\n\nThe lift will stand still on Monday, and nobody is to use it before Tuesday."


class Artefact:
    """Tables at hand instead of those of a store."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def table(self, schema: TableSchema, columns: list[str] | None = None) -> pa.Table:
        return self.tables[schema.name]


@pytest.fixture
def notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "notices"
    package.mkdir()
    (package / "__init__.py").write_text(NOTICE, encoding="utf-8")
    monkeypatch.setattr(citegrain.tasks.kinds, "__path__", [*citegrain.tasks.kinds.__path__, str(tmp_path)])
    document.document_kinds.cache_clear()
    yield
    sys.modules.pop("citegrain.tasks.kinds.notices", None)
    document.document_kinds.cache_clear()


def parsed() -> dict[str, Any]:
    tables = parse.parse_document(TEXT, "d" * 64, parse.ParseConfig(), "plain")
    return {"tables": tables, "row": tables["documents"].to_pylist()[0]}


@pytest.mark.usefixtures("notices")
def test_a_kind_is_recognised_structured_and_tagged_by_its_package_alone(tmp_path: Path) -> None:
    read = parsed()
    assert (read["row"]["kind"], read["row"]["warnings"]) == ("notice", ["a notice"])
    acts = identify(read["row"], Registry({}), "lift.txt")
    assert not isinstance(acts, Refusal)
    assert [(act.act_id, act.kind) for act in acts] == [("notice-to-tenants", "notice")]
    document = CorpusDocument("d" * 64, tmp_path / "lift.txt", tuple(acts))
    configs = {"structure": structure.StructureConfig(), "tag": tag.TagConfig()}
    setup = Setup(tmp_path, configs, Registry({}), SimpleNamespace())  # type: ignore[arg-type]
    tables = structure.DOCUMENT_STAGE.make(document, {"parse": Artefact(read["tables"])}, setup)  # type: ignore[dict-item]
    artefacts: Any = {"structure": Artefact(tables), "chunk": Artefact({"chunks": CHUNKS.empty()})}
    cited = tag.DOCUMENT_STAGE.make(document, artefacts, setup)["references"].to_pylist()
    assert [row["target_act"] for row in cited] == ["the-act"] * tables["provisions"].num_rows
    assert cited


def test_without_its_package_the_same_document_is_an_act() -> None:
    row = parsed()["row"]
    assert (row["kind"], row["warnings"]) == ("other", [])
    assert document.kind_named("notice") is None


def test_the_kinds_are_asked_in_their_order() -> None:
    names = [kind.name for kind in document.document_kinds()]
    assert names == ["judgment", "contract", "hindi", "rules", "office", "hierarchy"]
