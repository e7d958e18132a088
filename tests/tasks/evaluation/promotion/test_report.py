"""The verdict for people: complete, and nothing in a name is markup."""

from __future__ import annotations

from dataclasses import replace

from citegrain.tasks.evaluation.promotion import ChangedAnswer, Verdict, judge
from citegrain.tasks.evaluation.promotion_page import verdict_html, verdict_lines

HOSTILE = "<script>x</script> **a** [b](javascript:c) | `d`"


def refused() -> Verdict:
    before = {f"q{i}": float(i % 2 == 0) for i in range(40)}
    after = dict.fromkeys(before, 0.0)
    changed = [
        ChangedAnswer("q7", ["x/1", "x/2"], ["x/2", "x/2A"], ["x/2A"]),
        ChangedAnswer("q8", ["x/3"], ["x/4"], []),
        ChangedAnswer("q9", ["x/3", "x/4"], ["x/4", "x/3"], []),
    ]
    amended, lost = {"q1": ["x/2A"]}, {"a.pdf": "was read before and is not now: encrypted"}
    return judge({"accuracy": before}, {"accuracy": after}, amended, changed, lost, 0.02, 1, "stories")


def test_the_page_and_the_lines_are_complete() -> None:
    page, lines = verdict_html(refused(), False), "\n".join(verdict_lines(refused(), False))
    for text in (page, lines):
        assert "a.pdf: was read before and is not now: encrypted" in text
        assert "worse beyond chance" in text and "n = 39" in text and "20 worse" in text
        assert "Benchmark: accuracy on stories: -" in text
        assert "efused" in text and "force" not in text
        assert "39 complaints could not have seen a loss below " in text
    assert "- q7: added x/2A; removed x/1" in lines and "- q1: x/2A" in lines
    assert "Changed answers, amended: x/2A (1):" in lines
    moved = lines.partition("Changed answers, ranks moved by new neighbours (2):")[2]
    assert "- q8: added x/4; removed x/3" in moved and "- q9: the same in another order" in moved
    amended, moved_by = page.index("amended: x/2A (1)"), page.index("ranks moved by new neighbours (2)")
    assert amended < page.index(">q7<") < moved_by
    for row in (
        '<th scope="row">q7</th><td>x/2A</td><td>x/1</td>',
        '<th scope="row">q8</th><td>x/4</td><td>x/3</td>',
        '<th scope="row">q9</th><td colspan="2">',
        "<li>q1: x/2A</li>",
    ):
        assert row in page


def test_a_decision_is_called_by_its_name() -> None:
    same = {f"q{i}": 1.0 for i in range(5)}
    promoted = judge({"accuracy": same}, {"accuracy": same}, {}, [], {}, 0.02, 1)
    lines = verdict_lines(promoted, False)
    assert "Promoted." in lines and "The gate: promoted" in verdict_html(promoted, False)
    assert "Refused, and promoted by force." in verdict_lines(refused(), True)
    assert "5 complaints are too few to see any loss beyond chance." in "\n".join(lines)
    nothing = judge({}, {}, {}, [], {}, 0.02, 1)
    assert "- Benchmark: nothing could be compared." in verdict_lines(nothing, False)


def test_names_of_files_queries_and_provisions_are_data() -> None:
    changed = [ChangedAnswer(HOSTILE, [HOSTILE], [], [HOSTILE])]
    verdict = replace(refused(), reasons=[HOSTILE], changed=changed, excluded={HOSTILE: [HOSTILE]})
    page, lines = verdict_html(verdict, False), "\n".join(verdict_lines(verdict, False))
    assert "<script" not in page and "<script" not in lines
    assert "**a**" not in lines and "[b](" not in lines and page.count("&lt;script&gt;") == 6


def test_a_long_list_ends() -> None:
    many = [ChangedAnswer(f"q{i:04d}", ["x/1"], ["x/2"], []) for i in range(900)]
    verdict = replace(refused(), changed=many, excluded={c.query_id: ["x/1"] for c in many})
    lines = verdict_lines(verdict, False)
    assert len(lines) < 430 and lines.count("- and 700 more") == 2
    page = verdict_html(verdict, False)
    assert page.count("The others are in verdict.json") == 2 and "(900)" in page and "q0200" not in page
