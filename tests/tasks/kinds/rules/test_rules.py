"""Rules and regulations: their numbers and headings in every way they are printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pymupdf
import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.kinds.rules import READER
from citegrain.tasks.kinds.rules.notifications import Line, split_rule_heading
from citegrain.tasks.offline.chunk import ChunkConfig, chunk_document
from citegrain.tasks.offline.corpus import ActEntry, ActIdentity, Registry
from citegrain.tasks.offline.models import Tokenizer
from tests import typeset_rules as printed
from tests.tasks.kinds import readings
from tests.typeset import Section, saved, story

structured = partial(readings.structured, reader=READER)
ID = "goa-lantern-oil-and-wicks-rules-2012"
Rows = list[dict[str, Any]]


def read(data: bytes, registry: Registry | None = None) -> tuple[list[ActIdentity], Rows]:
    acts, tables = structured(data, registry)
    return acts, tables["provisions"].to_pylist()


def headings(rows: Rows, kind: str = "rule") -> list[tuple[str, str]]:
    return [(r["number"], r["heading"]) for r in rows if r["kind"] == kind]


def plain(text: str) -> str:
    return re.sub(r"\s", "", text)


def listed(rules: Sequence[Section]) -> list[tuple[str, str]]:
    return [(r.number, r.heading) for r in rules]


@pytest.mark.parametrize("between", [". ", ".~ ", ". = ", ".* "])
def test_a_heading_whose_dash_ocr_lost_ends_before_the_first_sub_rule(between: str) -> None:
    text = f"Duties of lamp officers{between}(1) The officer shall see to the lamp."
    split = split_rule_heading([Line(7, text, 0, False)], listed="", margin="")
    assert (split.heading, split.text_start) == ("Duties of lamp officers", 7 + text.index("(1)"))
    reference = "The officer named in rule 3. (1) and (2) of them shall see to it."
    assert split_rule_heading([Line(0, reference, 0, False)], listed="", margin="").heading == ""


def test_a_speck_beside_a_rule_is_no_heading() -> None:
    document = pymupdf.open("pdf", printed.rules())
    for page in document:
        for box in page.search_for("—"):
            page.insert_text((20, box.y1 - 2), "_", fontsize=8)
    _, rows = read(document.tobytes())
    assert headings(rows) == listed(printed.RULES)


@pytest.mark.parametrize("style", printed.STYLES)
@pytest.mark.parametrize("rules", [printed.RULES, printed.SINGLE], ids=["sub-rules", "plain"])
def test_every_way_to_print_a_rule(style: str, rules: tuple[Section, ...]) -> None:
    (act,), rows = read(printed.rules(style, rules))
    assert (act.title, act.kind, act.unit, act.jurisdiction) == (printed.TITLE, "rules", "rule", "goa")
    assert headings(rows) == listed(rules)
    for row, rule in zip([r for r in rows if r["kind"] == "rule"], rules, strict=True):
        text = " ".join(rule.paragraphs)
        assert plain(row["text"]) == plain(text.removeprefix("(1)") if style.startswith("N-(1)") else text)
    by_id = {r["provision_id"].removeprefix(f"{ID}/"): r for r in rows}
    if rules is printed.RULES:
        assert by_id["rule_3__subsec_2"]["number"] == "3(2)"
        assert by_id["rule_4A__subsec_1"]["kind"] == "subsection"
    assert by_id["chp_I"]["heading"] == "PRELIMINARY"
    assert (by_id["form_A"]["number"], by_id["form_A"]["heading"]) == ("Form A", "REGISTER OF OIL")


CONTENTS = "<h1>ARRANGEMENT OF RULES</h1>" + "".join(
    f'<p class="contents">{r.number}. {r.heading}.</p>' for r in printed.RULES
)
OTHER_LANGUAGE = (
    "<h1>vf/klwpuk</h1><p>1. laf{kIr uke vkSj izkjEHk.—(1) bu fu;eksa dk laf{kIr uke xksvk fu;e, 2012 gS.</p>"
    "<p>2. ifjHkk\"kk,¡.—bu fu;eksa esa.</p><p>3. rsy dh ek=k.—izR;sd Lokeh.</p><p>4. f'kdk;r.—dksbZ Hkh.</p>"
)
AGREEMENT = "<p>By order of the Governor.</p><h2>[See rule 3]</h2><h2>AGREEMENT FOR OIL</h2>" + "".join(
    f"<p>{n}. TERM {n}: the owner shall supply what is agreed in this clause.</p>" for n in range(1, 20)
)


@pytest.mark.parametrize(
    "around",
    [{"before": CONTENTS}, {"before": OTHER_LANGUAGE}, {"form": AGREEMENT}, {"form": ""}, {"chapter": ""}],
    ids=["contents", "other language before", "agreement behind", "nothing behind", "no chapter"],
)
def test_what_stands_around_the_rules_is_no_rule(around: dict[str, Any]) -> None:
    _, rows = read(printed.rules(**around))
    assert headings(rows) == listed(printed.RULES)
    assert "keeper.By order" not in plain(rows[-1]["text"])


def test_a_year_at_the_start_of_a_row_is_no_rule_and_numbers_go_on_beyond_99() -> None:
    lanterns = (Section(str(n), f"Lantern {n}", [f"Lantern {n} is lit at dusk."]) for n in range(6, 105))
    rules = [*printed.RULES, *lanterns]
    _, rows = read(printed.rules(printed=rules))
    assert headings(rows) == listed(rules)
    few = [*printed.RULES, Section("120", "Oil", ["It is oil."])]
    _, rows = read(printed.rules(printed=few))
    assert headings(rows) == listed(printed.RULES)


def test_numbers_that_a_scan_misread_are_mended_where_one_is_missing() -> None:
    misread = {"1": "l", "3": "3", "5": "S"}
    rules = [Section(misread.get(r.number, r.number), r.heading, r.paragraphs) for r in printed.RULES]
    _, rows = read(printed.rules(printed=rules))
    assert headings(rows) == listed(printed.RULES)


def test_regulations_and_two_sets_in_one_document() -> None:
    def renamed(rules: Sequence[Section], *words: tuple[str, str]) -> list[Section]:
        out = []
        for rule in rules:
            text = "\n".join(rule.paragraphs)
            for old, new in words:
                text = text.replace(old, new)
            out.append(Section(rule.number, rule.heading, text.split("\n")))
        return out

    second = renamed(printed.RULES[:3], ("Goa Lantern (Oil and Wicks)", "Goa Bell"))
    both = printed.rules(before=printed.markup(second, form=""), chapter="")
    acts, rows = read(both)
    assert [a.act_id for a in acts] == ["goa-bell-rules-2012", ID]
    for act, rules in zip(acts, (second, printed.RULES), strict=True):
        assert headings([r for r in rows if r["act_id"] == act.act_id]) == listed(rules)
    regulations = renamed(printed.RULES, ("rules", "regulations"), ("Rules", "Regulations"))
    (act,), rows = read(printed.rules(printed=regulations))
    assert (act.unit, act.document_type) == ("regulation", "regulations")
    assert headings(rows, "regulation") == listed(regulations)
    assert rows[1]["provision_id"].endswith("/reg_1")


def test_pages_that_the_registry_leaves_out_are_not_read() -> None:
    data = printed.rules(form='<div style="page-break-before: always"></div>' + printed.FORM)
    pages = Registry({ID: ActEntry(ID, printed.TITLE, pages="1-1")})
    _, rows = read(data, pages)
    assert headings(rows) == listed(printed.RULES) and not headings(rows, "schedule")
    assert headings(read(data)[1], "schedule") == [("Form A", "REGISTER OF OIL")]


def test_a_new_edition_renames_no_other_provision() -> None:
    """A rule, and a sub-rule at the end of another, are inserted: every other id stays."""
    changed = [*printed.RULES[:2], Section("2A", "Lamps", ["(1) A lamp is a lantern."]), *printed.RULES[2:]]
    changed[3] = Section("3", changed[3].heading, [*changed[3].paragraphs, "(3) Oil is fresh."])
    (_, before), (_, after) = (read(printed.rules(printed=rules)) for rules in (printed.RULES, changed))
    old, new = (
        {r["provision_id"]: plain(r["text"]) for r in rows if r["kind"] != "chapter"}
        for rows in (before, after)
    )
    assert set(new) - set(old) == {f"{ID}/{n}" for n in ("rule_2A", "rule_2A__subsec_1", "rule_3__subsec_3")}
    assert set(old) <= set(new)
    assert [n for n in old if old[n] != new[n]] == [f"{ID}/rule_3"]


class Characters(Tokenizer):
    """A tokenizer that counts characters."""

    def __init__(self) -> None:
        pass

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text))]


def chunks(rules: Sequence[Section], config: ChunkConfig) -> Rows:
    (act,), tables = structured(printed.rules(printed=rules))
    titles = {act.act_id: act.title}
    cut = chunk_document(tables["texts"], tables["provisions"], titles, Characters(), config)
    rows: Rows = cut["chunks"].to_pylist()
    return rows


def test_a_new_edition_renames_no_other_chunk() -> None:
    """Chunks as small as sub-rules: those before and behind what is inserted keep ``unit_id``, not ``chunk_id``."""
    inserted = Section("2A", "Lamps", ["(1) A lamp is a lantern.", "(2) A lantern is no lamp."])
    config = ChunkConfig(size=60, measure="characters")
    old = {c["unit_id"]: c for c in chunks(printed.RULES, config)}
    new = {c["unit_id"]: c for c in chunks([*printed.RULES[:2], inserted, *printed.RULES[2:]], config)}
    assert f"{ID}/rule_3__subsec_2" in old and f"{ID}/rule_3__subsec_2~2" in old
    assert set(new) - set(old) == {f"{ID}/rule_2A", f"{ID}/rule_2A__subsec_2"} and set(old) <= set(new)
    assert all(old[name]["text"] == new[name]["text"] for name in old)
    assert not {c["chunk_id"] for c in old.values()} & {c["chunk_id"] for c in new.values()}


def test_limits_of_100_and_1500_characters() -> None:
    config: ChunkConfig = load_settings(["chunk=civicsetu"]).documents["chunk"]
    parts = [f"({n}) {'The owner shall send a return of oil. ' * 9}" for n in range(1, 8)]
    long = Section("6", "Returns", parts)
    rows = chunks([*printed.RULES, long, Section("7", "Saving", ["It is saved."])], config)
    of_long = [r for r in rows if r["citation"] == f"{ID}/rule_6"]
    assert len(of_long) == 2 and all(r["text"].startswith(("6.", "(")) for r in of_long)
    assert max(len(r["text"]) for r in rows if r["indexed"]) <= 1500
    assert {r["indexed"] for r in rows if len(r["text"]) < 100} == {False}
    assert any(r["citation"] == f"{ID}/rule_7" and not r["indexed"] for r in rows)


def paragraphs(*texts: str) -> Rows:
    (act,), rows = read(saved(story("".join(f"<p>{text}</p>" for text in texts))))
    assert act.kind == "other" and {r["kind"] for r in rows} == {"paragraph"}
    return rows


WORDS = [
    f"In the {n} report the committee said of lanterns that they were {n} in number, that they stood on the quay of "
    f"the {n} harbour and that their oil was short."
    for n in ("first", "second", "third")
]


def test_a_document_without_numbers_is_cited_by_paragraph_and_page() -> None:
    rows = paragraphs("REPORT", *WORDS)
    assert [(r["number"], r["page_start"]) for r in rows] == [("1", 1), ("2", 1), ("3", 1)]
    assert plain(rows[0]["text"]) == plain("REPORT" + WORDS[0]) and plain(rows[2]["text"]) == plain(WORDS[2])
    later = paragraphs("REPORT", WORDS[0], "A paragraph that is new, " + WORDS[1], WORDS[1], WORDS[2])
    assert {r["provision_id"] for r in rows} < {r["provision_id"] for r in later}


def test_a_list_within_a_rule_and_an_agreement_without_a_title() -> None:
    """What counts anew at 1 is a list where the next rule follows behind it, else it is behind the rules."""
    steps = [f"{n}. The owner shall send part {n} of the return." for n in range(1, 7)]
    listing = Section("6", "Returns", ["The return has these parts.", *steps])
    rules = [*printed.RULES, listing, Section("7", "Saving", ["What is done is saved."])]
    _, rows = read(printed.rules(printed=rules))
    assert headings(rows) == listed(rules)
    term = "<p>{0}. TERM {0}:</p><p>The owner shall supply what is agreed.</p>"
    terms = "".join(term.format(n) for n in range(1, 20))
    _, rows = read(printed.rules(form=terms))
    assert headings(rows) == listed(printed.RULES)


@pytest.mark.parametrize(
    ("words", "misread"),
    [
        ("These rules may be called the", "Thcse ruIes moy be callcd thc"),
        ("(1) These rules may be called the", "(l) Thesc rules mag be callod the"),
        (
            "These rules may be called the Goa Lantern (Oil and Wicks) Rules, 2012",
            "The name is the Gazette's",
        ),
    ],
)
def test_the_first_rule_is_known_where_a_scan_misread_its_words(words: str, misread: str) -> None:
    first = Section("1", "Short title", [p.replace(words, misread) for p in printed.RULES[0].paragraphs])
    cover = f"<h1>{printed.TITLE.upper()}</h1>"
    (act,), rows = read(printed.rules(printed=[first, *printed.RULES[1:]], before=cover, form=AGREEMENT))
    assert act.kind == "rules" and act.act_id == ID
    assert headings(rows) == listed([first, *printed.RULES[1:]])


def test_rules_with_forms_and_references_to_their_act_are_sound() -> None:
    """References to sections are to the Act; pages and references of forms do not count."""
    appeals = [f"An appeal under section {n} is heard under rule 5." for n in range(40, 60)]
    of_act = Section("6", "Appeals", appeals)
    form = printed.FORM + "<p>Filed under rule 77, rule 78 and rule 79.</p>" * 3
    pages = '<div style="page-break-before: always"></div><p>A page to be filled in.</p>' * 30
    _, tables = structured(printed.rules(printed=[*printed.RULES, of_act], form=form + pages))
    (report,) = tables["reports"].to_pylist()
    assert (report["verdict"], report["reason"], report["n_referred"]) == ("sound", "", 2)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("", "nothing stands behind its last rule, neither a signature nor a form: its end may be missing"),
        ("<p>By order and in the name of the Governor.</p>", "its rules cite Form A, which is not there"),
        (printed.FORM.replace("FORM A", "FORM"), ""),
    ],
)
def test_rules_without_the_forms_that_they_cite_or_without_an_end_are_doubted(form: str, reason: str) -> None:
    _, tables = structured(printed.rules(form=form))
    assert reason in (said := tables["reports"].to_pylist()[0]["reason"]) and bool(reason) == bool(said)
