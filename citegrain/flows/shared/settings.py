"""The configuration: composed by Hydra, validated by dataclasses beside the stages; a model's endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from citegrain.flows.shared import composing
from citegrain.flows.shared.composing import SettingsError, group_of, parsed, plain_words, single, written
from citegrain.tasks.core.errors import faults
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.configuration import CascadeConfig, stage_groups

if TYPE_CHECKING:  # Hydra and OmegaConf take a while: settings that are remembered need neither
    from omegaconf import DictConfig

    from citegrain.flows.shared.choices import (
        BenchConfig,
        CalibrateConfig,
        ReindexConfig,
        StudyConfig,
        SweepConfig,
    )
    from citegrain.flows.shared.configs import CorpusConfig, EndpointConfig, RunnerConfig, ScheduleConfig
    from citegrain.tasks.evaluation.benchmark import BenchmarkConfig
    from citegrain.tasks.offline.embed import EmbedConfig
    from citegrain.tasks.offline.index import IndexConfig
    from citegrain.tasks.offline.translate import TranslateConfig
    from citegrain.tasks.train import TrainConfig


@dataclass(frozen=True)
class Settings:
    """The whole configuration of a run; ``documents``, ``online``: parameters of each stage by its name."""

    corpus: CorpusConfig
    endpoint: EndpointConfig
    translate: TranslateConfig
    embed: EmbedConfig
    index: IndexConfig
    benchmark: BenchmarkConfig
    bench: BenchConfig
    sweep: SweepConfig
    study: StudyConfig
    calibrate: CalibrateConfig
    train: TrainConfig
    reindex: ReindexConfig
    runner: RunnerConfig
    schedule: ScheduleConfig
    artifacts: str
    documents: Mapping[str, Any]
    online: Mapping[str, Any]

    def group(self, name: str) -> Any:
        """The parameters of a group, such as ``chunk`` or ``fuse``."""
        parts = next((parts for parts in (self.documents, self.online) if name in parts), None)
        return getattr(self, name) if parts is None else parts[name]

    @property
    def offline(self) -> tuple[Any, ...]:
        """What the offline stages read."""
        return (*self.documents.values(), self.translate, self.embed, self.index)

    @property
    def cascade(self) -> CascadeConfig:
        """What the online stages read."""
        return CascadeConfig.from_groups(self.online, tuple(self.corpus.roles), tuple(self.corpus.attributes))

    @property
    def artifacts_folder(self) -> Path:
        """Folder of everything produced."""
        return located(self.artifacts)

    @property
    def store_folder(self) -> Path:
        """Folder of the artefact store."""
        return self.artifacts_folder / "store"

    @property
    def builds_folder(self) -> Path:
        """Folder of published builds."""
        return self.artifacts_folder / "builds"

    @property
    def reports_folder(self) -> Path:
        """Folder of what people read: reports of runs and studies."""
        return self.artifacts_folder / "reports"

    @property
    def models_folder(self) -> Path:
        """Folder of unpacked model weights."""
        return self.artifacts_folder / "models"


def shaping() -> tuple[str, ...]:
    """Groups of the stages, in the order of the work: what shapes an answer."""
    return (*composing.document_classes(), "translate", "embed", "index", *stage_groups())


@dataclass(frozen=True)
class NotRead:
    """In the place of a group that was not read."""

    group: str

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.group}.{name}: these settings were read for asking alone")


def _checked(group: str, config: DictConfig, cls: type[Any] | composing.Kinds) -> Any:
    """The dataclass of a group with its values; where it has several kinds, Pydantic checks them."""
    from omegaconf import OmegaConf

    values: Any = OmegaConf.to_object(config)
    if not isinstance(cls, Mapping):
        return values
    if (chosen := cls.get(str(values["kind"]))) is None:
        raise SettingsError(f"{group}.kind={values['kind']}: must be {', '.join(cls)}")
    keys = [key.name for key in fields(chosen)]
    if unknown := [key for key in values if key not in keys]:
        raise SettingsError(f"Key '{unknown[0]}' not in '{chosen.__name__}', which has {', '.join(keys)}")
    try:
        return chosen(**values)
    except ValidationError as error:
        wrong = [f"{group}.{key}: {what}" for key, what in faults(error)]
        raise SettingsError("; ".join(wrong)) from error


def load_settings(overrides: Sequence[str], online: bool = False) -> Settings:
    """Compose and validate. Raises SettingsError if a key, an option or a value is wrong or missing.

    ``online``: whether only what asking a build reads is needed, unless an override names something else.
    """
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    online_groups = {"artifacts", "experiment", "hydra", "corpus", "endpoint", *stage_groups()}
    online = online and {group_of(override) for override in overrides} <= online_groups
    classes = composing.group_classes(online)
    schema = composing.schema_of(tuple(classes), online)
    overrides = [single(override, schema) for override in overrides]
    try:
        config = composing.composed(overrides, tuple(classes), online)
        for key in composing.REQUIRED:
            group, _, name = key.partition(".")
            if group in classes and OmegaConf.is_missing(config[group], name):
                raise SettingsError(f"{key} is missing: add {key}=...")
        if any(o.lstrip().startswith(("+", "~")) for o in overrides):
            # once more into the schema, which refuses keys that were added and brings back those deleted
            config = OmegaConf.merge(schema, OmegaConf.to_container(config))  # type: ignore[assignment]
        groups: dict[str, Any] = {name: _checked(name, config[name], cls) for name, cls in classes.items()}
        stages = {name: groups.pop(name) for name in stage_groups()}
        documents = {name: groups.pop(name) for name in list(groups) if name not in composing.CLASSES}
        groups = {name: groups.get(name, NotRead(name)) for name in composing.CLASSES}
        return Settings(**groups, artifacts=str(config.artifacts), documents=documents, online=stages)
    except SettingsError:
        raise
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise SettingsError(plain_words(error, overrides) + _suggestion(overrides)) from error


def as_yaml(settings: Settings) -> str:
    """The composed configuration, group by group, as YAML."""
    from omegaconf import OmegaConf

    groups = asdict(settings)
    return OmegaConf.to_yaml(OmegaConf.create(groups.pop("documents") | groups.pop("online") | groups))


@cache
def _usual(stages: tuple[str, ...]) -> Settings:
    """By ``stages``: one that is added makes other settings."""
    return load_settings([])


def indexing_overrides(settings: Settings) -> list[str]:
    """Overrides that index the same corpus in the same way and memory: whatever is not as by default."""
    usual = _usual(tuple(settings.documents))
    return [
        written(f"{group}.{key}", value)
        for group in ("corpus", "translate", "embed", "index", "runner", *settings.documents)
        for key, value in asdict(settings.group(group)).items()
        if value != asdict(usual.group(group))[key] and (group != "runner" or key == "memory_gib")
    ]


def split_values(overrides: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Overrides with one value, and what others give: ``fuse.depth=5,10``. Raises SettingsError."""
    from hydra.errors import HydraException

    from citegrain.flows.shared.choices import SweepConfig  # only a sweep has several values

    schema = composing.schema_of(tuple(composing.group_classes()), False)
    read = [parsed(override, schema) for override in overrides]
    try:
        grid = {o.get_key_element(): list(o.sweep_string_iterator()) for o in read if o.is_sweep_override()}
        cells = SweepConfig(grid=grid).members() if grid else {}
    except (HydraException, ValueError) as error:
        raise SettingsError(plain_words(error, overrides)) from error
    return [str(o.input_line) for o in read if not o.is_sweep_override()], cells


@cache
def known_groups() -> frozenset[str]:
    """What an override may begin with."""
    return frozenset({*composing.group_classes(), "artifacts", "experiment", "hydra"})


def _suggestion(overrides: Sequence[str]) -> str:
    """The key that is most like one that is not known; empty where there is none."""
    keys = {
        f"{group}.{key.name}"
        for group, cls in composing.group_classes().items()
        for part in (cls.values() if isinstance(cls, Mapping) else (cls,))
        for key in fields(part)
    } | known_groups()
    for override in overrides:
        key = override.split("=", 1)[0].lstrip("+~")
        near = [] if key.count(".") > 1 or key in keys else get_close_matches(key, keys, 1, 0.7)
        if near:
            return f"; did you mean {near[0]}?"
    return ""
