"""Citations of judgments are read however they are printed."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.citations import find_citations


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Rajnesh v. Neha, (2021) 2 SCC 324.", "scc/2021/2/324"),
        ("2017 (10) SCC 1", "scc/2017/10/1"),
        ("1981 SCC  (3)  11", "scc/1981/3/11"),
        ("(1992) Supp. (1) SCC 335", "scc/1992/s1/335"),
        ("(1992) 1 Suppl. SCC 335", "scc/1992/s1/335"),
        ("1997 SCC (CRI) 92", "scccri/1997//92"),
        ("2019 SCC OnLine SC 1915", "scconline/2019/sc/1915"),
        ("[2020] 2 S.C.R. 246", "scr/2020/2/246"),
        ("[1950] S.C.R. 88", "scr/1950//88"),
        ("1981 AIR 1220", "air/1981//1220"),
        ("A.I.R. 1963 S.C. 1295", "air/1963//1295"),
        ("AIR 1962 All 123", "air/1962/all/123"),
        ("2023INSC866", "insc/2023//866"),
        ("2023:DHC:1234-DB", "neutral/2023/dhc/1234"),
        ("JT 1997 (1) SC 1", "other/1997/1/1"),
        ("381 U.S. 479 (1965)", "us/1965/381/479"),
    ],
)
def test_a_citation_has_one_key(text: str, key: str) -> None:
    assert [c.key for c in find_citations(text)] == [key]


@pytest.mark.parametrize(
    "text",
    [
        "section 31 of 2005",
        "Act 45 of 1860, s. 302",
        "on 4.3.2019 and 5.3.2019",
        "G.S.R. 77(E)",
        "Rs. 2017 only",
    ],
)
def test_what_is_no_citation_is_not_read_as_one(text: str) -> None:
    assert find_citations(text) == []


def test_parallel_citations_are_separate() -> None:
    found_keys = [
        c.key for c in find_citations("(1973) 4 SCC 225 : AIR 1973 SC 1461 = [1973] Supp. S.C.R. 1")
    ]
    assert found_keys == ["scc/1973/4/225", "air/1973//1461", "scr/1973/s/1"]
