"""Parameters of a benchmark, and the option that asks for a file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from citegrain.tasks.evaluation.benchmark import BenchmarkConfig
from tests.tasks.evaluation.benchmark.samples import load, write_lines

OPTION = Path(__file__).resolve().parents[4] / "conf" / "benchmark" / "file.yaml"


def test_a_day() -> None:
    assert BenchmarkConfig().day is None
    assert BenchmarkConfig(as_of="2024-07-01").day == date(2024, 7, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"split": "train"}, "benchmark.split=train: must be one of dev, test"),
        ({"format": "xlsx"},
         "benchmark.format=xlsx: must be one of auto, jsonl, csv, beir, trec, out_of_scope, spans, questions"),
        ({"as_of": "20240701"}, "benchmark.as_of=20240701: must be a day as YYYY-MM-DD, not '20240701'"),
        ({"as_of": "2024-06-31"}, "benchmark.as_of=2024-06-31: day is out of range for month"),
    ],
)  # fmt: skip
def test_parameters_are_checked(values: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError) as error:
        BenchmarkConfig(**values)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("config", "label"),
    [
        (BenchmarkConfig("mine", "x/a.jsonl"), "mine"),
        (BenchmarkConfig("", "x/a.v2.jsonl"), "a.v2"),
        (BenchmarkConfig("", "x/aila-2.0/"), "aila-2.0"),
        (BenchmarkConfig("", "."), "benchmark"),
    ],
)
def test_a_benchmark_without_a_name_has_that_of_its_file(config: BenchmarkConfig, label: str) -> None:
    assert config.label == label


def test_the_option_asks_for_a_path_and_nothing_else() -> None:
    option = OmegaConf.load(OPTION)
    assert OmegaConf.missing_keys(option) == {"path"}
    assert list(option) == ["path"]
    option.path = "x.jsonl"
    merged = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(BenchmarkConfig), option))
    assert merged == BenchmarkConfig(path="x.jsonl")
    assert "citegrain bench benchmark=file" in OPTION.read_text(encoding="utf-8")


def test_what_is_personal_in_a_benchmark_is_masked_when_it_is_read(tmp_path: Path) -> None:
    text = {"id": "a", "text": "He calls from 98765 43210.", "kind": "x", "act": ""}
    file = write_lines(tmp_path / "x.jsonl", text)
    assert load(file, form="out_of_scope").records[0].text == "He calls from [PHONE-1]."
