"""Why a text that instructions make may not be the law, though each could be applied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from citegrain.tasks.law.amending_acts.drafting import SIGN, Drafted
from citegrain.tasks.law.amending_acts.unsigned import DONE

RUNS_ON = re.compile(
    rf"\b(?:for|after|before|the)\s+(?:the\s+)?(?:following|words?)\b.*\bshall\s+be\s+{DONE}\b", re.DOTALL
)
"""Of what is quoted: it holds the next amendment."""
SAYS_MORE = "the amending section says more than was read"
_ALONE = re.compile(r"(?:^|\n)\s*\(?\d{1,3}\s+of\s+\d{4}[.)]*\s*(?=\n|$)")
_SIGNS = re.compile(r"(“|„|(?<![^\s(\[—–-])\"(?=\S))|[”\"]")
_STOP = re.compile(r"(?:[.;:,—–-]|\b(?:and|or))[\s”\"’'\])]*$")
_WORD = re.compile(r"\w+")
_LAST, _FIRST = re.compile(r"([^\W\d]+) *$"), re.compile(r" *([^\W\d]+)")
_LONG = 6  # letters of words that stand in no other by chance
_LEFT = 4  # words of an item that belong to no instruction


def of_reading(text: str, drafted: Drafted, used: Set[str], left: str, strays: bool) -> Iterator[str]:
    """What speaks against the reading of a section of an amending Act.

    ``used``: what it quotes, as far as an instruction has it; ``left``: its words outside of instructions;
    ``strays``: whether one leaves the section that it stands under, or puts the same words at two places.
    """
    if not _pair(text):
        yield "signs of quotation of the amending section do not pair"
    if not all(map(_pair, [*used, *(item.lead for _, item in drafted.root.leads())])):
        yield "a quotation within a quotation was not read whole"
    if any(quoted not in used for quoted in drafted.quoted):
        yield "the amending section quotes words of which nothing was read"
    if any(_ALONE.search(quoted) for quoted in used):
        yield "the number of an Act stands alone in the text that comes"
    if strays:
        yield "what is to be changed where was read in two ways"
    if len(_WORD.findall(SIGN.sub(" ", left))) > _LEFT:
        yield SAYS_MORE


def of_edits(text: str, edits: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """What speaks against a text that (start, end, new text) make."""
    for start, end, new in edits:
        if new.endswith("\n") and not _STOP.search(new):
            yield "the text that comes breaks off"
        ahead, behind = _LAST.search(text, 0, start), _FIRST.match(text, end)
        words = _WORD.findall(new)
        first, last = (words[0], words[-1]) if words else (behind and behind[0].strip(), None)
        if (ahead and ahead[1] == first) or (behind and behind[1] == last):
            yield "a word stands there twice where new text meets the old"
        gone = _WORD.findall(text[start:end])
        run_on = re.compile(r"\W*".join(gone) + r"(?:\b|(?-i:(?=[A-Z])))", re.IGNORECASE)
        by_words = re.compile(r"\b" + r"\W+".join(gone) + r"\b", re.IGNORECASE)
        if len("".join(gone)) >= _LONG and len(run_on.findall(text)) > len(by_words.findall(text)):
            yield "words that go stand there once more, run into others"


def _pair(text: str) -> bool:
    """Whether each sign of quotation that opens is closed, one quotation within another as well."""
    depth = 0
    for sign in _SIGNS.finditer(text):
        depth += 1 if sign[1] else -1
        if depth < 0:
            return False
    return depth == 0
