"""The complaints benchmark against the Acts: labels that exist and are law, words that are not the law's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.evaluation.benchmark import SPLITS, overlap_by_register
from citegrain.tasks.offline.models import Encoder, find_model
from tests.data.complaints import COMPLAINTS
from tests.data.law import ids_of, unlawful


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_every_label_exists_and_is_law_on_its_day(provisions: pa.Table) -> None:
    assert unlawful(COMPLAINTS.every, provisions) == []


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
@pytest.mark.parametrize("split", SPLITS)
def test_complaints_do_not_speak_in_the_words_of_the_law(provisions: pa.Table, split: str) -> None:
    ids = ids_of(provisions)
    overlaps = overlap_by_register(
        COMPLAINTS.records[split], lambda citation: " ".join(ids[citation].values())
    )
    assert sum(n for _, n in overlaps.values()) == sum(r.in_scope for r in COMPLAINTS.records[split])
    assert overlaps["informal"][0] <= 0.08
    assert overlaps["formal"][0] <= 0.16
    printed = " / ".join(f"{share:.3f}".lstrip("0") for share, _ in overlaps.values())
    assert (
        COMPLAINTS.card_row("share of a complaint's content words")[("test", "dev").index(split)] == printed
    )


@pytest.mark.model
@pytest.mark.slow
def test_no_complaint_of_test_is_a_near_duplicate_of_one_of_dev() -> None:
    settings = load_settings([])
    encoder = Encoder(find_model(settings.embed.model, settings.models_folder), settings.embed.settings())
    dev, test = (
        encoder.encode([r.text for r in COMPLAINTS.records[split]], query=True) for split in ("dev", "test")
    )
    alike = dev @ test.T
    at = np.unravel_index(int(alike.argmax()), alike.shape)
    pair = COMPLAINTS.records["dev"][at[0]].id, COMPLAINTS.records["test"][at[1]].id
    assert alike.max() < 0.80, f"{pair}: {alike.max():.3f}"
