"""A writer's own wish to die, which no offence answers: it is cut from what is searched, clause by clause.

A clause is such a wish if it says so and has no other words than these: what others do, a denial, a question
about the law of it or an object ("my life savings") is another matter and stays.
"""

import re

_PARTS = re.compile(
    r"(\s*[,.;:!?।\n]+\s*|\s+(?:and|so|but|because|bcoz|since|aur|lekin|kyunki|और|लेकिन|क्योंकि)\s+)",
    re.IGNORECASE,
)
_DEED = re.compile(
    r"\b(?:kill?|hang|harm|hurt)(?:ing)?\s+my\s?self\b|\b(?:end|tak)(?:e|ing)?\s+my(?:\s+own)?\s+life\b"
    r"|\bend(?:ing)?\s+it\s+all\b|\bsu[is]?[cs]i[dt]al\b|\bsu[is]?[cs]i[dt]e\b|\bkms\b"
    r"|\b(?:do\s+not|don\s?['’]?t|dnt|no\s+longer)\s+(?:want|wish)\s+to\s+live\b|\bcan\s?(?:not|['’]?t)\s+live\b"
    r"|\blife\s+is\s+not\s+worth\s+living\b|\b(?:want|wish|wan+a|wanted|ready|feel|rather)\b(?:\s+\w+){0,3}?\s+"
    r"(?:die|dying|dead)\b|\bmar(?:na\s+chah\w+|na\s+hai|\s+ja\w*)\b|\bkhud\s?kh?us?hi\b|\baa?tma\s?h?at+y?a\b"
    r"|\bjaan\s+d\w+\b|\b(?:[zj]indagi|life)\s+kh?atam\b|\bjee?na\s+nah\w*|\bnah\w*\s+jee?na\b"
    r"|मरना\s+(?:चाह\S*|है)|मर\s+जा\S*|आत्महत्या|ख़?ुदकुशी|खुदकुशी|जान\s+दे\S*|ज़?िंदगी\s+ख़?त्म|जीना\s+नहीं|नहीं\s+जीना",
    re.IGNORECASE,
)
_WORDS = """
i im am me my id ive ill have had been was will would just really so very often always only also now keep
kept thinking think thought planning plan planned decided decide feel feeling felt like tired sick of to
about on the a it commit committing do doing did attempt attempted attempting considering consider that want
wanted wish going gonna try tried trying ready please help sir madam hello hi soon tonight today anymore any
more everyday every day daily last night yesterday again right sometimes maybe living this for weeks months
days years wanna once twice
main mai mein mujhe muje bhi toh ab bas hi khud apni aaj kal chahta chahti chahata hu hun hoon hai h raha
rahi rha rhi lunga lungi loonga loongi lena karna karne kar karunga karungi karu lu lun du dun dunga dungi
dena de ki ka soch sochta sochti ja jaa
मैं मै मुझे भी तो अब बस खुद अपनी आज कल चाहता चाहती हूँ हूं हु है रहा रही लूँगा लूंगा लूँगी लूंगी लेना करना
करने कर करूँगा करूंगा करूँगी करूंगी दूँगा दूंगा दूँगी दूंगी देना की का सोच"""
_AROUND = frozenset(_WORDS.split())
_SPEAKER = re.compile(r"\s*(?:i|im|main?|mein|mujhe|मैं|मै|मुझे)(?:\s|['’]|$)", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:i|im|ive|main?|mein|mujhe|muje)\b|मैं|मै|मुझे", re.IGNORECASE)
_OF_IT = re.compile(
    r"\b(?:it|this|that|ye|yeh)\b[^,.]*\b(?:crime|criminal|offen[cs]e|(?:il)?legal|punish\w*|against\s+the\s+law)\b"
)


def without_wish(text: str) -> str:
    """A text without the clauses that wish to die; as it is where it asks for the law of that."""
    parts = _PARTS.split(text)
    clauses = parts[::2]
    # a clause without a subject goes on with the one before: i was beaten and want to die
    mine = [bool(_SPEAKER.match(clause)) for clause in clauses]
    wishes = [_is_wish(c) and (bool(_FIRST.search(c)) or any(mine[:n])) for n, c in enumerate(clauses)]
    if not any(wishes) or _OF_IT.search(text.lower()):
        return text
    rest = ""
    for n, clause in enumerate(clauses):
        if clause.strip() and not wishes[n]:
            rest += (parts[2 * n - 1] if rest else "") + clause
    return rest.strip()


def _is_wish(clause: str) -> bool:
    deed = _DEED.search(clause)
    if not deed:
        return False
    others = f"{clause[: deed.start()]} {clause[deed.end() :]}".lower().split()
    return all(re.sub(r"['’\"“”()]", "", word) in _AROUND for word in others)
