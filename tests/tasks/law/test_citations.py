"""Look-up of provisions as labels name them."""

from __future__ import annotations

from citegrain.tasks.law.citations import TEXT, TEXT_CORPUS, Citations


def test_a_text_is_meant_by_its_id_as_it_is_written() -> None:
    names = ["S1", "s1", "S-1", "302", "ipc/302"]
    texts = Citations((TEXT, TEXT_CORPUS, f"{TEXT_CORPUS}/{name}", name) for name in names)
    for name in names:
        assert texts.labelled(TEXT_CORPUS, name) == [f"{TEXT_CORPUS}/{name}"]
    assert texts.labelled("ipc", "302") == [f"{TEXT_CORPUS}/ipc/302"]
    assert not texts.labelled(TEXT_CORPUS, "s-1") and not texts.labelled("crpc", "302")


def test_a_section_goes_before_an_entry_of_the_same_number() -> None:
    entry, section = ("entry", "ipc", "ipc/sched_1/entry_5", "5"), ("section", "ipc", "ipc/sec_5", "5")
    assert Citations([entry, section]).labelled("ipc", "5") == ["ipc/sec_5"]
    assert Citations([entry]).labelled("ipc", "5") == ["ipc/sched_1/entry_5"]


def test_a_judgment_is_meant_by_all_its_paragraphs() -> None:
    rows = [
        ("paragraph", "a-v-b-1999", "a-v-b-1999/para_1", "1"),
        ("paragraph", "a-v-b-1999", "a-v-b-1999/para_2", "2"),
        ("front", "a-v-b-1999", "a-v-b-1999/front_1", "Front"),
        ("paragraph", "c-v-d-2000", "c-v-d-2000/para_1", "1"),
        ("section", "ipc", "ipc/sec_1", "1"),
    ]
    citations = Citations(rows)
    assert citations.labelled("a-v-b-1999", "judgment") == ["a-v-b-1999/para_1", "a-v-b-1999/para_2"]
    assert not citations.labelled("ipc", "judgment") and not citations.labelled("e-v-f", "judgment")
    assert citations.labelled("a-v-b-1999", "2") == ["a-v-b-1999/para_2"]
