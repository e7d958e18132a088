"""The picture of what provisions cite: which neighbours it shows, and that people can read it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import EDGES, NODES
from citegrain.tasks.online.answer import labels, make_neighbourhood, neighbours_picture, short_titles
from citegrain.tasks.online.graph import around
from tests.tasks.online.answer.test_page import HOSTILE, sheet

ACTS: list[dict[str, Any]] = [
    {"act_id": "lamp", "title": "The Lamp (Prevention) Act, 1999", "aliases": ["Lamp Act", "LPA"]},
    {"act_id": "oil", "title": "The Oil Code, 1960", "aliases": ["तेल"]},
]


def graph(*edges: tuple[str, str, str], more: tuple[str, ...] = ()) -> dict[str, pa.Table]:
    """Tables of a graph: ``lamp/3`` is section 3 of an Act, ``lamp`` the Act."""
    ids = dict.fromkeys([*(end for source, _, target in edges for end in (source, target)), *more])
    titles = {act["act_id"]: act["title"] for act in ACTS}
    nodes = [
        {
            "node_id": node, "kind": "section" if "/" in node else "act", "act_id": node.partition("/")[0],
            "number": node.partition("/")[2], "title": titles.get(node, f"Heading of {node}"), "document_id": "D", "page": 1,
        }
        for node in ids
    ]  # fmt: skip
    rows = [
        {
            "source_id": source, "target_id": target, "kind": kind, "words": "w", "named": target, "reason": "",
            "document_id": "D", "page": 1, "offset": 0,
        }
        for source, kind, target in edges
    ]  # fmt: skip
    return {"nodes": NODES.rows(nodes), "edges": EDGES.rows(rows)}


def test_what_binds_several_comes_first_then_the_rarer_bond_then_the_much_cited() -> None:
    tables = graph(
        ("a/1", "cites", "a/9"), ("a/2", "cites", "a/9"), ("a/1", "cites", "a/4"), ("a/1", "replaced_by", "b/1"),
        ("a/1", "cites", "a/5"), ("a/7", "cites", "a/5"), ("a/2", "cites", "a/6"), ("a/1", "part_of", "a"),
    )  # fmt: skip
    full = around(tables, ["a/2", "a/1", "absent"])
    assert full.seeds == ["a/2", "a/1"] and full.total == 5
    assert list(full.nodes) == ["a/2", "a/1", "a/9", "a/6", "b/1", "a/5", "a/4"]
    cut = around(tables, ["a/2", "a/1"], most=4)
    assert list(cut.nodes) == ["a/2", "a/1", "a/9", "a/6"] and cut.total == 5
    assert {(link.source, link.target) for link in cut.links} == {
        ("a/1", "a/9"),
        ("a/2", "a/9"),
        ("a/2", "a/6"),
    }


def test_a_part_stands_for_the_nearest_node_above_it() -> None:
    """A rule is a node inside an Order that is one too, a numbered opinion of a judgment is none."""
    rule, order, said = "cpc/order_I__rule_1", "cpc/order_I", "case/opinion_2__para_5"
    tables = graph((rule, "cites", "cpc/sec_9"), (order, "cites", "cpc/sec_8"), (said, "cites", "cpc/sec_7"))
    ids = [f"{rule}__proviso_1", rule, said, "cpc/sec_9__subsec_1__para_a", "cpc/sec_6__subsec_1"]
    drawn = around(tables, ids)
    assert drawn.seeds == [rule, said, "cpc/sec_9"]
    assert list(drawn.nodes) == [rule, said, "cpc/sec_9", "cpc/sec_7"]


def test_a_pair_is_one_link_with_all_that_is_said() -> None:
    tables = graph(("a/1", "cites", "a/2"), ("a/1", "conflicts", "a/2"), ("a/1", "cites", "a/2"))
    (link,) = around(tables, ["a/2"]).links
    assert link.kinds == ("conflicts", "cites")


def test_labels_are_short() -> None:
    tables = graph(("lamp/3", "cites", "oil/7"), ("lamp/3", "amended_by", "act-5-of-2001"))
    nodes = {row["node_id"]: row for row in tables["nodes"].to_pylist()}
    nodes["oil/7"] |= {"kind": "article"}
    nodes["act-5-of-2001"] |= {"title": "act-5-of-2001"}
    by_node = labels(nodes.values(), short_titles(ACTS))
    assert by_node == {"lamp/3": "LPA 3", "oil/7": "Oil Code, 1960 Art. 7", "act-5-of-2001": "Act 5 of 2001"}


@pytest.mark.parametrize("n", [1, 24, 40])
def test_boxes_do_not_overlap_and_lie_within_the_drawing(n: int) -> None:
    edges = [("lamp/0", "cites", f"lamp/{i}") for i in range(1, n + 1)]
    edges += [("oil/1", "replaced_by", "lamp/0"), ("lamp/0", "conflicts", "oil/2")]
    shown = neighbours_picture(around(graph(*edges), ["lamp/0", "oil/2"]), short_titles(ACTS))
    for drawing in shown["drawings"]:
        assert len(drawing["boxes"]) == min(25, n + 3)
        shape, places = drawing["shape"], sorted((box["x"], box["y"]) for box in drawing["boxes"])
        assert all(0 <= x <= drawing["width"] - shape.column for x, _ in places)
        assert all(0 <= y <= drawing["height"] - shape.height for _, y in places)
        pairs = pairwise(places)
        assert all(b[0] >= a[0] + shape.column or b[1] >= a[1] + shape.height for a, b in pairs)
        ends = [tuple(map(float, re.findall(r"-?[\d.]+", curve["path"])[:2])) for curve in drawing["curves"]]
        assert len(set(ends)) == len(ends)  # lines that leave one box do so beside each other
    assert shown["left_out"] == max(0, n + 3 - 25)


def test_it_says_in_words_what_it_shows() -> None:
    tables = graph(("lamp/3", "cites", "oil/7"), ("oil/9", "conflicts", "lamp/3"))
    shown = neighbours_picture(around(tables, ["lamp/3"]), short_titles(ACTS))
    page = sheet(neighbours=shown)
    assert page.count('role="img"') == 2 and page.count("<title id=") == 2
    assert "What LPA 3 cites and what cites it</title>" in page
    assert "LPA 3 cites Oil Code, 1960 7. Oil Code, 1960 9 prevails over LPA 3.</desc>" in page
    assert page.count('class="link cites"') == page.count('class="link conflicts"') == 4  # with the legend's
    assert "replaced by" not in page and "http" not in page.replace("http-equiv", "")
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(set(ids)) == len(ids) and set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


def test_what_nothing_cites_has_no_picture() -> None:
    assert not neighbours_picture(around(graph(more=("lamp/3",)), ["lamp/3"]), {})
    assert not neighbours_picture(around(graph(), ["absent"]), {})
    assert 'class="neighbours"' not in sheet()


def test_headings_are_text() -> None:
    tables = graph(("lamp/3", "cites", "oil/7"))
    nodes = [row | {"title": HOSTILE.replace("\ud800", "")} for row in tables["nodes"].to_pylist()]
    shown = neighbours_picture(around(tables | {"nodes": NODES.rows(nodes)}, ["lamp/3"]), {})
    edge = {
        "direction": "out",
        "label": HOSTILE,
        "reason": "",
        "kind": "cites",
        "words": HOSTILE,
        "times": 2,
        "page": 0,
    }
    page = make_neighbourhood("mine/0123", shown, {"lamp/3": HOSTILE}, {"lamp/3": [edge]})
    assert "<script>alert" not in page and "<img src=x" not in page and page.encode("utf-8")
