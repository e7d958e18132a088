"""Judges are named alike however a bench is printed."""

from __future__ import annotations

import pytest

from citegrain.tasks.kinds.judgments.names import merged, read_name, same_judge, signed_names, split_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CHANDRACHUD, Y.V. ((CJ)", "Y.V. Chandrachud"),
        ("GUPTA, K.C. DAS", "K.C. Das Gupta"),
        ("DAS GUPTA, K.C.", "K.C. Das Gupta"),
        ("P.Sathasivam, CJI.", "P. Sathasivam"),
        ("HON’BLE MR. JUSTICE S. MURALIDHAR", "S. Muralidhar"),
        ("Hon'ble Ms. Justice Hima Kohli, Chief Justice", "Hima Kohli"),
        ("12 of 1973", ""),
    ],
)
def test_a_name_stands_without_title_and_office(text: str, name: str) -> None:
    assert read_name(text) == name


def test_a_list_of_names_is_split() -> None:
    names = split_names("L. NAGESWARA RAO, HEMANT GUPTA AND S. RAVINDRA BHAT, JJ.")
    assert names == ["L. Nageswara Rao", "Hemant Gupta", "S. Ravindra Bhat"]


def test_names_under_signatures_are_read() -> None:
    text = "…......J. (Indu Malhotra) ………….CJI. [P. SATHASIVAM] New Delhi; contents ........ 12 (Part One)"
    assert signed_names(text) == ["Indu Malhotra", "P. Sathasivam"]


def test_initials_and_whole_names_are_one_judge() -> None:
    assert same_judge("R.F. Nariman", "Rohinton Fali Nariman")
    assert same_judge("V.R. Krishnaiyer", "Krishna Iyer")
    assert not same_judge("Y.V. Chandrachud", "D.Y. Chandrachud")
    names = ["S.A. Bobde", "D.Y. Chandrachud", "Dhananjaya Y Chandrachud"]
    assert merged(names) == ["S.A. Bobde", "Dhananjaya Y Chandrachud"]
