"""The words by which statutes in Hindi say what English ones say: धारा, अध्याय, अनुसूची, परंतु."""

import re

from citegrain.tasks.core.words import LETTERS
from citegrain.tasks.law.numbers import HYPHENS

_END = rf"(?![{LETTERS}])"
UNIT_WORDS = "धारा|अनुच्छेद|नियम|विनियम"
"""What may stand before the number of a provision."""

PARTS = {
    "परंतु": "Provided", "परन्तु": "Provided", "स्पष्टीकरण": "Explanation", "अपवाद": "Exception",
    "दृष्टांत": "Illustration", "दृष्टान्त": "Illustration",
}  # fmt: skip
"""Words that open a part of a provision, with the English word for each."""

PART_WORD = rf"(?:{'|'.join(PARTS)}){_END}"
ENDS = r"।\s*$|(?:अर्थात्|और|या)\s*$"
"""How a row ends behind which a part may begin."""

CONTENTS = r"(?:धाराओं|अनुच्छेदों|नियमों|विनियमों|खंडों)\s+का\s+क्रम|विषय[\s-]?सूची|अनुक्रमणिका"
ACT_NUMBER = r"\(?\d{4}\s+का\s+अधिनियम\s+संख्यां?क?\s"
ENACTED = r".*अधिनियमित\s+(?:हो|किया)"
GONE = rf"(?:निरसित|लोपित|लोप\s+किया\s+गया){_END}"

CONTAINERS = {"अध्याय": "chapter", "भाग": "part"}
SCHEDULE = "अनुसूची"
_ORDINALS = (
    "पहली|पहला|प्रथम", "दूसरी|दूसरा|द्वितीय", "तीसरी|तीसरा|तृतीय", "चौथी|चौथा|चतुर्थ", "पांचवीं|पाँचवीं|पंचम", "छठी|षष्ठ",
    "सातवीं|सप्तम", "आठवीं|अष्टम", "नौवीं|नवीं|नवम", "दसवीं|दशम", "ग्यारहवीं", "बारहवीं",
)  # fmt: skip
_SCHEDULE = re.compile(
    rf"^\W*(?:(?P<ordinal>[{LETTERS}]+)\s+)?{SCHEDULE}{_END}\s*[-{HYPHENS}—]?\s*(?P<num>\d{{1,2}}|[IVX]+)?(?P<rest>.*)$"
)


def schedule_title(text: str) -> tuple[str, str] | None:
    """Number and heading of the Schedule that a row opens; None where it opens none."""
    match = _SCHEDULE.match(text)
    if match is None:
        return None
    number = next(
        (str(i) for i, words in enumerate(_ORDINALS, 1) if match["ordinal"] in words.split("|")), ""
    )
    rest = match["rest"].strip(" .:—–-[]()।")
    if (match["ordinal"] and not number) or (rest and not match["rest"].lstrip().startswith(tuple(":—–-[("))):
        return None
    return number or match["num"] or "", rest
