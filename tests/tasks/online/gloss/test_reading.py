"""Questions in Hindi as English."""

from __future__ import annotations

from datetime import date
from importlib.resources import files

import pytest

from citegrain.tasks.core.words import romanised
from citegrain.tasks.law.asof import find_incident
from citegrain.tasks.online.gloss.lexicon import (
    LOAN,
    NOUN,
    POST,
    VERB,
    WORD,
    bones,
    english_sound,
    lexicon,
    likeness,
    rough,
    spelled,
    spoken,
)
from citegrain.tasks.online.gloss.reading import gloss, in_latin

ENGLISH = frozenset(
    "salary hospital security deposit car give police cheque bounce note the to is me or main".split()
)


def read(text: str) -> str:
    return gloss(text, ENGLISH.__contains__, ENGLISH.__contains__, lambda word, least: "")


@pytest.mark.parametrize(
    ("hindi", "latin"),
    [
        ("सरकार", "sarkaar"), ("मुकदमा", "mukadmaa"), ("जमानत", "jamaanat"), ("न", "na"), ("मित्र", "mitr"),
        ("ज़मीन", "zameen"), ("लड़का", "ladkaa"), ("ज्ञान", "gyaan"), ("गई", "gaee"), ("गांव", "gaanv"), ("३", "3"),
    ],
)  # fmt: skip
def test_letters_as_they_are_spoken(hindi: str, latin: str) -> None:
    assert romanised(hindi) == latin


def test_words_that_sound_alike_have_one_key() -> None:
    assert len({spoken(word) for word in ("zamaanat", "jamanat", "zamanat", romanised("जमानत"))}) == 1
    assert len({spelled(word) for word in ("mahine", "maheene", "mahinē".replace("ē", "e"))}) == 1
    assert spelled("saal") == spelled("sal") and spelled("saal") != spelled("saala")
    assert len({rough(spoken(word)) for word in ("dhamki", "damki", "dhamkee")}) == 1
    for hindi, word in (("प्रॉपर्टी", "property"), ("काउंटर", "counter"), ("रजिस्ट्रेशन", "registration")):
        sound = english_sound(word)
        assert bones(romanised(hindi)) == bones(sound) and likeness(romanised(hindi), sound) > 0.7
    assert likeness("kaauntar", english_sound("country")) < likeness("kaauntar", english_sound("counter"))


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("mere malik ne teen mahine se salary nahi di", "my employer for three months did not pay salary"),
        ("मेरे मालिक ने तीन महीने से वेतन नहीं दिया", "my employer for three months did not pay wages"),
        ("hospital me bhai ko zanjeer se bandha hai", "in hospital brother chained"),
        ("मकान मालिक ने बिना बताए ताला तोड़ दिया", "landlord without informing broke lock"),
        ("padosi ne zameen par kabza kar liya hai", "neighbour on land took possession encroach"),
        ("vo mujhe dhamki de raha hai", "he threatening me"),
        ("vo mujhe dhamki nahi de raha hai", "he not threatening me"),
        ("daroga FIR nahi likh raha", "sub-inspector police officer not registering FIR"),
        ("main court nahi jaunga", "I court will not go"),
        ("kya karu", "what can I do"),
        ("do mahine se", "for two months"),
        ("31 मई", "31 may"),
        ("builder ne 3 saal se flat nahi diya", "builder for 3 year did not give flat"),
        ("malik muavza nahi de raha", "employer owner not paying compensation"),
        ("किसी ने मेरा फोन छीन लिया", "someone snatched my phone"),
        ("padosi ne mujhe mara", "neighbour beat me"),
        ("teacher ne bachche ko thappad mara", "teacher children slapped"),
        ("mere papa mar gaye", "my father died"),
        ("usne likha tha ki paise mila", "he wrote got money"),
        ("wo jhooth bata raha hai", "he telling lie"),
        ("एडीसी ने बीबी की पीआर अर्जी", "ADC wife PR application"),
        ("kiraye ka makan", "rent house"),
        ("patni nahi maan rahi", "wife not agreeing accepted"),
        ("498ए का केस 27/02/2015 को", "498A case 27/02/2015"),
        ("suraj dubne ke baad giraftar kar sakte hai kya", "after sunset can arrest"),
        ("mera pati maar raha hai", "my husband beating"),
        ("daam bdh gye to mna kr diya", "price increased refused"),
        ("paise kaha milenge", "money where will get"),
        ("kamra hona chahiye na", "room should be"),
        ("patni wapas nai aa rahi", "wife not returning"),
        ("jaati ki vajah se nikala", "because of caste threw out"),
        ("mera khata band kar diya", "closed my account"),
        ("saat hazar ka saman le gaya", "took away seven thousand goods belongings"),
        ("kya makan malik mera saman phek sakta hai", "whether landlord can throw my goods belongings"),
        ("kya niyam hai", "what rule is"),
        ("bus me aadmi", "in bus man"),
        ("phone chori ka nikla", "phone theft turned out"),
        ("builder do saal late hai", "builder two years late is"),
        ("mandir me dal di", "in temple put"),
        ("दाल में नमक", "in pulses food salt"),
        ("समन आया", "summons came"),
        ("Nagar palika ne ghar giraya", "municipality demolished house"),
        ("gaonwalon ne pita ko mara", "village father beat"),
        ("usne dhoka diya", "he cheated"),
        ("mujhe mere pati marte hain", "my husband beat me"),
        ("mera pati mujhe roz pitta hai", "my husband every day beat me"),
        ("mera jija mujhe raat ko chhoota hai", "my brother-in-law touched me at night"),
        ("manager office me mere kandhe chhoota hai", "manager at office touched my shoulder"),
        ("mera bhai jail se chhoota hai", "my brother from jail was released"),
        ("chor police se chhoot gaya", "thief from police was released"),
        ("mujhe dhamki mili, mera bhai mar gaya", "me threat got, my brother died"),
        ("mujhe salary nahi mili", "me did not get salary"),
        ("mujhe ghar chhodna hai", "me leave house"),
    ],
)
def test_glosses_worked_by_hand(question: str, english: str) -> None:
    assert read(question) == english


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("दो साल पहले मेरे मालिक ने मुझे मारा", "2024-11-29"),
        ("मार्च 2023 में मेरे घर में चोरी हुई", "2023-03-01"),
        ("pichhle saal mere bhai ko chaku mara gaya", "2025-01-01"),
        ("teen hafte pehle mera phone chheen liya", "2026-11-08"),
        ("२० जून २०२४ को मुझ पर हमला हुआ", "2024-06-20"),
        ("parso usne mujhe thappad mara", "2026-11-27"),
        ("सन 2018 में जमीन पर कब्जा किया", "2018-01-01"),
        ("शादी से पहले उसने मुझे मारा", "None"),
    ],
)
def test_days_in_words_of_hindi(question: str, day: str) -> None:
    assert str(find_incident(read(question), date(2026, 11, 29)).day) == day


def test_words_of_both_languages_are_what_their_neighbours_are() -> None:
    assert read("ghar me paani nahi hai") == "in house water is not"
    assert "give me the salary" in read("wo bola give me the salary par diya nahi")


def test_what_is_denied_stays_denied_and_nothing_else() -> None:
    for verb, english in (("diya", "did not pay"), ("diye", "did not pay")):
        assert english in read(f"salary nahi {verb}") and "not" not in read(f"salary {verb}")


def test_digits_names_and_stops_stay() -> None:
    assert read("मेरा वेतन ₹२५,०००।") == "my salary wages ₹ 25,000."
    assert "Bhilwara" in read("Bhilwara ke malik ne salary nahi di")
    assert read("") == "" and read("।") == "."


def test_an_english_word_is_found_by_its_sound() -> None:
    heard = {"helipaid": "helipad"}
    question = "मेरा हेलीपैड"
    assert gloss(question, bool, bool, lambda word, least: heard.get(spelled(word), "")) == "my helipad"
    assert in_latin("पुलिस ने मारा", lambda word, least: "") == "police ne mara"


def test_the_lexicon_is_large_and_each_entry_is_found() -> None:
    rows = (
        (files("citegrain") / "data" / "hindi" / "lexicon.tsv").read_text(encoding="utf-8").splitlines()[1:]
    )
    assert len(rows) > 3_000 and len(rows) == len(set(rows))
    for kind, forms, _ in (row.split("\t") for row in rows):
        for form in forms.split("|") if kind in (NOUN, POST, VERB, WORD, LOAN) else ():
            assert " " in form or lexicon().senses(form), form
