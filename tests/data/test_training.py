"""What the card of the training texts says of them is so. No build is needed.

Failures name training texts by their ids. Texts of benchmarks are never printed.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.law.citing import Lexicon, find_mentions
from citegrain.tasks.offline.models import Encoder, EncoderSettings, find_model
from tests.data.duplicates import nearest, shared_runs, shared_words
from tests.data.training import ACTS, KINDS, LIMITS, TRAINING, card_row

PROVISIONS = {
    "arbitration-and-conciliation-act-1996": 72,
    "bharatiya-nagarik-suraksha-sanhita-2023": 319,
    "bharatiya-nyaya-sanhita-2023": 346,
    "bharatiya-sakshya-adhiniyam-2023": 97,
    "child-and-adolescent-labour-act-1986": 18,
    "code-of-civil-procedure-1908": 176,
    "code-on-social-security-2020": 90,
    "code-on-wages-2019": 46,
    "companies-act-2013": 149,
    "constitution-of-india": 167,
    "consumer-protection-act-2019": 59,
    "copyright-act-1957": 75,
    "digital-personal-data-protection-act-2023": 25,
    "dowry-prohibition-act-1961": 9,
    "environment-protection-act-1986": 21,
    "factories-act-1948": 101,
    "hindu-adoptions-and-maintenance-act-1956": 24,
    "hindu-marriage-act-1955": 29,
    "hindu-minority-and-guardianship-act-1956": 9,
    "hindu-succession-act-1956": 23,
    "immoral-traffic-prevention-act-1956": 21,
    "indecent-representation-of-women-prohibition-act-1986": 6,
    "indian-contract-act-1872": 169,
    "indian-partnership-act-1932": 58,
    "indian-stamp-act-1899": 36,
    "information-technology-act-2000": 64,
    "insolvency-and-bankruptcy-code-2016": 89,
    "juvenile-justice-act-2015": 78,
    "limitation-act-1963": 80,
    "limited-liability-partnership-act-2008": 48,
    "maintenance-and-welfare-of-parents-and-senior-citizens-act-2007": 21,
    "minimum-wages-act-1948": 22,
    "motor-vehicles-act-1988": 176,
    "narcotic-drugs-and-psychotropic-substances-act-1985": 69,
    "national-commission-for-women-act-1990": 4,
    "negotiable-instruments-act-1881": 94,
    "prevention-of-money-laundering-act-2002": 35,
    "protection-of-children-from-sexual-offences-act-2012": 29,
    "protection-of-women-from-domestic-violence-act-2005": 28,
    "real-estate-regulation-and-development-act-2016": 50,
    "registration-act-1908": 49,
    "right-to-fair-compensation-land-acquisition-act-2013": 77,
    "right-to-information-act-2005": 20,
    "sale-of-goods-act-1930": 57,
    "sexual-harassment-of-women-at-workplace-act-2013": 22,
    "specific-relief-act-1963": 41,
    "transfer-of-property-act-1882": 111,
}
CODES = {"indian-penal-code-1860", "code-of-criminal-procedure-1973", "indian-evidence-act-1872"}
ONLY_AMENDS = "criminal-law-amendment-act-2018"
OTHER_LAW = re.compile(r"\b(?:section|article|sec|u/s|dhara)s?\W{0,2}\d|\bAct,? (?:19|20)\d\d", re.IGNORECASE)
ABBREVIATED = re.compile(r"\b(?:FEMA|SARFAESI|UAPA|MCOCA|PCPNDT)\b", re.IGNORECASE)

kinds = pytest.mark.parametrize("kind", KINDS)


def test_how_many_there_are_by_act() -> None:
    assert len(TRAINING.lay) == 3409 and len(TRAINING.stories) == 634
    assert Counter(lay.act for lay in TRAINING.lay) == PROVISIONS
    assert set(ACTS) - set(PROVISIONS) == {*CODES, ONLY_AMENDS}


def test_every_act_is_in_the_registry() -> None:
    assert {lay.act for lay in TRAINING.lay} <= set(ACTS)
    assert {c.act for story in TRAINING.stories for c in story.applicable} == set(ACTS) - {ONLY_AMENDS}


def test_stories_cross_acts_and_have_few_provisions() -> None:
    for story in TRAINING.stories:
        assert 2 <= len(story.applicable) <= 4, story.id
        assert len({c.act for c in story.applicable}) >= 2, story.id


def test_stories_under_the_replaced_codes_give_a_year_and_no_code_stands_beside_its_successor() -> None:
    for story in TRAINING.stories:
        old = {c.act for c in story.applicable} & CODES
        assert not old & {a for a in CODES if ACTS[a].replaced_by in {c.act for c in story.applicable}}
        years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", story.text)]
        assert not old or min(years, default=9999) <= 2024, story.id


@kinds
def test_texts_have_the_length_that_was_asked_for(kind: str) -> None:
    least, most = LIMITS[kind]
    outside = {
        name: n
        for name, text in TRAINING.texts[kind].items()
        if not least <= (n := len(text.split())) <= most
    }
    assert outside == {}


def test_each_text_is_one_clean_line_and_stands_once() -> None:
    assert [name for name, text in TRAINING.every.items() if text != " ".join(text.split())] == []
    assert [name for name, text in TRAINING.every.items() if not text.isprintable()] == []
    assert len(set(TRAINING.every.values())) == len(TRAINING.every)


def test_no_text_names_a_section_or_an_act() -> None:
    lexicon = Lexicon((act_id, entry.title, entry.aliases) for act_id, entry in ACTS.items())

    def names_law(text: str) -> bool:
        places = lexicon.find(text)
        mentions = find_mentions(text, places)
        return bool(places or mentions or OTHER_LAW.search(text) or ABBREVIATED.search(text))

    assert [name for name, text in TRAINING.every.items() if names_law(text)] == []


def test_texts_do_not_repeat_each_other() -> None:
    shared = shared_runs(TRAINING.every)
    assert shared == []


def test_no_text_shares_eight_words_with_a_benchmark() -> None:
    shared = sorted({name for name, _ in shared_runs(TRAINING.every, TRAINING.benchmarks)})
    assert shared == []


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_no_text_is_a_near_duplicate_of_one_of_a_benchmark(every: int) -> None:
    """All texts take four minutes: each time one in twelve of them, and all where there is time.

    A near duplicate shares half of the words, too: an English encoder finds much of what is Hinglish alike.
    """
    settings = load_settings([])
    encoder = Encoder(find_model(settings.embed.model, settings.models_folder), EncoderSettings("bf16", 128))
    benchmark_texts = list(TRAINING.benchmarks.values())
    benchmark = encoder.encode(benchmark_texts, query=True)
    largest = []
    for texts in (*TRAINING.texts.values(), TRAINING.other_texts):
        names = list(texts)[::every]
        cosines, at = nearest(encoder.encode([texts[name] for name in names], query=True), benchmark)
        near = [
            name
            for name, cosine, i in zip(names, cosines, at, strict=True)
            if cosine >= 0.80 and shared_words(texts[name], benchmark_texts[i]) >= 0.5
        ]
        assert near == []
        largest.append(f"{cosines.max():.2f}".lstrip("0"))
    if every == 1:
        assert card_row("cosine to the nearest benchmark text, largest") == largest[: len(KINDS)]
