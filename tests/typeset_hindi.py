"""The Lantern Keepers Act in Hindi, typeset with the Devanagari font that PyMuPDF brings."""

from __future__ import annotations

import re
from functools import cache

import pymupdf

ACT = """
=दीप रक्षक (कल्याण) अधिनियम, 2011
=(2011 का अधिनियम संख्यांक 17)
भारत गणराज्य के बासठवें वर्ष में संसद् द्वारा निम्नलिखित रूप में यह अधिनियमित हो :—
=अध्याय 1
=प्रारंभिक
१. संक्षिप्त नाम और विस्तार—(१) इस अधिनियम का संक्षिप्त नाम दीप रक्षक (कल्याण) अधिनियम, 2011 है ।
(२) इसका विस्तार संपूर्ण भारत पर है ।
२. परिभाषाएं—इस अधिनियम में, जब तक कि संदर्भ से अन्यथा अपेक्षित न हो,—
(क) “रक्षक” से ऐसा व्यक्ति अभिप्रेत है जो मजदूरी के लिए दीप की देखभाल करता है;
(ख) “दीप” से वह प्रकाश अभिप्रेत है जो रात में जलयानों के मार्गदर्शन के लिए दिखाया जाता है, और इसके अंतर्गत है—
(i) उसका स्तंभ; और
(ii) उसका ताल ।
=अध्याय 2
=रक्षकों के अधिकार
३. रक्षकों की मजदूरी—प्रत्येक रक्षक को उस मास के पश्चात् सातवें दिन से पूर्व मजदूरी दी जाएगी जिसमें वह अर्जित की गई है :
परंतु धारा 5 के अधीन मजदूरी प्रति सप्ताह दी जा सकेगी ।
३क. तेल भत्ता—प्रत्येक स्वामी रक्षक को विहित गुणता का तेल देगा ।
४. मजदूरी रोकने के लिए शास्ति—जो कोई किसी रक्षक की मजदूरी तीन मास से अधिक के लिए रोकेगा वह कारावास से, जो दो वर्ष तक का
हो सकेगा, या जुर्माने से, या दोनों से, दंडनीय होगा ।
धारा 5. साप्ताहिक संदाय—तैरते दीप का रक्षक प्रति सप्ताह मजदूरी मांग सकेगा ।
"""


@cache
def devanagari_font() -> pymupdf.Font:
    """The font that PyMuPDF falls back on for Devanagari, taken out of a PDF that needed it."""
    document = pymupdf.open()
    document.new_page().insert_htmlbox(pymupdf.Rect(0, 0, 500, 100), "<p>क</p>")
    return pymupdf.Font(fontbuffer=document.extract_font(document[0].get_fonts()[0][0])[3])


def hindi(text: str = ACT, date: str = "20210102") -> bytes:
    """A PDF with a code point a glyph, in the order of ``text``; a row that begins with ``=`` is centred."""
    document, font, y = pymupdf.open(), devanagari_font(), 900.0
    for row in text.strip().splitlines():
        if y > 760:
            page, y = document.new_page(), 72.0
        centred, line = row.startswith("="), row.removeprefix("=")
        x = 297 - font.text_length(line, 11) / 2 if centred else 72.0
        writer = pymupdf.TextWriter(page.rect)
        writer.append((x, y), line, font=font, fontsize=11)
        writer.write_text(page)
        y += 18
    document.set_metadata({"creationDate": f"D:{date}000000"})
    document.subset_fonts()
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def as_seen(text: str = ACT) -> str:
    """``text`` with the sign of each short i before its consonants, as many PDFs give it."""
    return re.sub("((?:[क-ह]\u094d)*[क-ह])\u093f", "\u093f\\1", text)


def shaped(text: str = ACT) -> bytes:
    """A PDF whose conjuncts are glyphs without code points of their own: the text layer has lost them."""
    document = pymupdf.open()
    markup = "".join(f"<p>{line.removeprefix('=')}</p>" for line in text.strip().splitlines())
    document.new_page().insert_htmlbox(pymupdf.Rect(72, 72, 520, 780), markup)
    return bytes(document.tobytes())
