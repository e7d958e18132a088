"""The configuration: composed by Hydra, validated by dataclasses beside the stages; a model's endpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import ValidationError

from citegrain.flows.shared.overrides import SettingsError, group_of, parsed, plain_words, single, written
from citegrain.tasks.core.errors import faults
from citegrain.tasks.core.paths import PACKAGE, located
from citegrain.tasks.online.configuration import CascadeConfig, stage_classes, stage_groups

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

CONF = PACKAGE / "conf"
Kinds = Mapping[str, type[Any]]
"""The dataclasses of a group by its key ``kind``."""

_CHOICES, _CONFIGS = "citegrain.flows.shared.choices", "citegrain.flows.shared.configs"
_CLASSES = {
    "corpus": (_CONFIGS, "CorpusConfig"),
    "endpoint": (_CONFIGS, "EndpointConfig"),
    "translate": ("citegrain.tasks.offline.translate", "TranslateConfig"),
    "embed": ("citegrain.tasks.offline.embed", "EmbedConfig"),
    "index": ("citegrain.tasks.offline.index", "IndexConfig"),
    "benchmark": ("citegrain.tasks.evaluation.benchmark", "BenchmarkConfig"),
    "bench": (_CHOICES, "BenchConfig"),
    "sweep": (_CHOICES, "SweepConfig"),
    "study": (_CHOICES, "StudyConfig"),
    "calibrate": (_CHOICES, "CalibrateConfig"),
    "train": ("citegrain.tasks.train", "TRAININGS"),
    "reindex": (_CHOICES, "ReindexConfig"),
    "runner": (_CONFIGS, "RunnerConfig"),
    "schedule": (_CONFIGS, "ScheduleConfig"),
}
"""Where the dataclass of each group stands, or those of its kinds, by module and name: it is imported where
the group is read."""

_REQUIRED = ("corpus.name", "corpus.path", "benchmark.path", "embed.model")
"""Keys that an option or the user must give. A default would hide that they are missing: OmegaConf keeps it
where an option says ``???``."""

_OPTION = re.compile(r"(?!artifacts=)\w+=")
_VALUE = re.compile(r"(?!hydra\.)(artifacts|\w+(\.\w+)+)=")
"""An override that chooses an option of a group, and one that Hydra applies once all options are composed."""


@dataclass(frozen=True)
class Settings:
    """The whole configuration of a run.

    Attributes
    ----------
    documents
        Parameters of each stage that is run for each document, by its name.
    online
        Parameters of each stage of the online chain, by its name.
    """

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
    return (*_document_classes(), "translate", "embed", "index", *stage_groups())


def _document_classes() -> dict[str, type[Any]]:
    from citegrain.tasks.offline import chain  # the stages over documents: asking reads none of them

    return {stage.name: stage.config for stage in chain.DOCUMENT_STAGES}


def group_classes(online: bool = False) -> dict[str, type[Any] | Kinds]:
    """The dataclass of each group, or those of its kinds; ``online``: of what asking a build reads."""
    hints = get_type_hints(CascadeConfig).items()
    fields = {name: cls for name, cls in hints if isinstance(cls, type) and is_dataclass(cls)}
    names = ["corpus", "endpoint"] if online else list(_CLASSES)
    classes = {name: getattr(import_module(_CLASSES[name][0]), _CLASSES[name][1]) for name in names}
    return classes | fields | stage_classes() | ({} if online else _document_classes())


@dataclass(frozen=True)
class NotRead:
    """In the place of a group that was not read."""

    group: str

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.group}.{name}: these settings were read for asking alone")


@cache
def _schema(names: tuple[str, ...], online: bool) -> DictConfig:
    """Keys, types and defaults of the groups of some names: what the options in ``conf/`` change."""
    from omegaconf import MISSING, OmegaConf

    classes = group_classes(online)
    schema = OmegaConf.create({name: _schema_of(classes[name]) for name in names})
    for key in _REQUIRED:
        if group_of(key) in names:
            OmegaConf.update(schema, key, MISSING)
    return schema


def _schema_of(cls: type[Any] | Kinds) -> DictConfig:
    """Of a group with several kinds any keys, since the kind is known when the options are merged."""
    from omegaconf import OmegaConf

    if isinstance(cls, Mapping):
        return OmegaConf.create({"kind": next(iter(cls))}, flags={"struct": False})
    return _writable(OmegaConf.structured(cls))


def _checked(group: str, config: DictConfig, cls: type[Any] | Kinds) -> Any:
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


def _writable(schema: DictConfig) -> DictConfig:
    """A schema that options can be merged into: OmegaConf makes a frozen dataclass read-only."""
    from omegaconf import DictConfig, OmegaConf

    OmegaConf.set_readonly(schema, None)
    for key in schema:
        if isinstance(part := schema._get_node(key), DictConfig):
            _writable(part)
    return schema


def search_path() -> list[str]:
    """Lets ``conf/`` in the working directory add options to those that ship with citegrain."""
    mine = Path.cwd() / "conf"
    return [f"hydra.searchpath=[file://{mine}]"] if mine.is_dir() and not mine.samefile(CONF) else []


def load_settings(overrides: Sequence[str], online: bool = False) -> Settings:
    """Compose and validate.

    Raises SettingsError if a key or an option is unknown, a key is missing, or a value is out of range.

    Parameters
    ----------
    overrides
        Hydra overrides, e.g. ``chunk=parent_child`` or ``corpus.name=mine``.
    online
        Whether only what asking a build reads is needed. Where an override names something else, all is read.
    """
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    online_groups = {"artifacts", "experiment", "hydra", "corpus", "endpoint", *stage_groups()}
    online = online and {group_of(override) for override in overrides} <= online_groups
    classes = group_classes(online)
    schema = _schema(tuple(classes), online)
    overrides = [single(override, schema) for override in overrides]
    try:
        config = _composed(overrides, tuple(classes), online)
        for key in _REQUIRED:
            group, _, name = key.partition(".")
            if group in classes and OmegaConf.is_missing(config[group], name):
                raise SettingsError(f"{key} is missing: add {key}=...")
        if any(o.lstrip().startswith(("+", "~")) for o in overrides):
            # once more into the schema, which refuses keys that were added and brings back those deleted
            config = OmegaConf.merge(schema, OmegaConf.to_container(config))  # type: ignore[assignment]
        groups: dict[str, Any] = {name: _checked(name, config[name], cls) for name, cls in classes.items()}
        online_settings = {name: groups.pop(name) for name in stage_groups()}
        documents = {name: groups.pop(name) for name in list(groups) if name not in _CLASSES}
        groups = {name: groups.get(name, NotRead(name)) for name in _CLASSES}
        return Settings(
            **groups, artifacts=str(config.artifacts), documents=documents, online=online_settings
        )
    except SettingsError:
        raise
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise SettingsError(plain_words(error, overrides) + _suggestion(overrides)) from error


def _composed(overrides: Sequence[str], names: tuple[str, ...], online: bool) -> DictConfig:
    """Options and values in the schema. Options that ship are composed once, whatever their values are."""
    from hydra._internal.config_loader_impl import ConfigLoaderImpl  # what compose does has no public name
    from hydra.core.override_parser.overrides_parser import OverridesParser

    if (mine := search_path()) or not all(_OPTION.match(o) or _VALUE.match(o) for o in overrides):
        return _compose((*overrides, *mine), names, online)
    options = tuple(o for o in overrides if not _VALUE.match(o))
    config = deepcopy(_options(options, names, online))
    values = OverridesParser.create().parse_overrides([o for o in overrides if _VALUE.match(o)])
    ConfigLoaderImpl._apply_overrides_to_config(values, config)
    return config


def _compose(overrides: tuple[str, ...], names: tuple[str, ...], online: bool) -> DictConfig:
    from hydra import compose, initialize_config_dir
    from hydra.core.config_store import ConfigStore
    from hydra.core.global_hydra import GlobalHydra

    GlobalHydra.instance().clear()
    # the first default of conf/config.yaml
    ConfigStore.instance().store("citegrain_schema", _schema(names, online))
    with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        return compose(config_name="config", overrides=list(overrides))


_options = lru_cache(64)(_compose)


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
    """Overrides that index the same corpus in the same way: whatever is not as by default."""
    usual = _usual(tuple(settings.documents))
    return [
        written(f"{group}.{key}", value)
        for group in ("corpus", "translate", "embed", "index", *settings.documents)
        for key, value in asdict(settings.group(group)).items()
        if value != asdict(usual.group(group))[key]
    ]


def load_cells(overrides: Sequence[str], cells: Mapping[str, Sequence[str]]) -> dict[str, Settings]:
    """Settings of many configurations that differ by overrides of single groups.

    A group depends on the overrides that name it, on ``experiment=`` and on no others. So each is composed
    once for all configurations with the same overrides of it: for 64 cells sixteen compositions, not 64. An
    override of something else, such as ``experiment=``, is composed with all others.
    """
    plain = load_settings(overrides)
    out: dict[str, Settings] = {}
    for name, changes in cells.items():
        by_group: dict[str, list[str]] = {}
        for change in changes:
            by_group.setdefault(group_of(change), []).append(change)
        if set(by_group) <= set(shaping()):
            parts = {group: _part(group, overrides, some) for group, some in by_group.items()}
            documents = {stage: parts.pop(stage, config) for stage, config in plain.documents.items()}
            online = {stage: parts.pop(stage, config) for stage, config in plain.online.items()}
            out[name] = replace(plain, documents=documents, online=online, **parts)
        else:
            out[name] = load_settings([*overrides, *changes])
    return out


def _part(group: str, overrides: Sequence[str], changes: Sequence[str]) -> Any:
    """One group, composed from the overrides on which it depends."""
    on = [o for o in (*overrides, *changes) if group_of(o) in (group, "experiment", "hydra")]
    return _composed_part(group, tuple(on), tuple(search_path()))


@cache
def _composed_part(group: str, overrides: tuple[str, ...], search_path: tuple[str, ...]) -> Any:
    return load_settings(overrides).group(group)


def split_values(overrides: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Overrides with one value, and the configurations that those with several give: ``fuse.depth=5,10``.

    Raises SettingsError if an override cannot be read, or a value cannot be part of a name.
    """
    from hydra.errors import HydraException

    from citegrain.flows.shared.choices import SweepConfig  # only a sweep has several values

    schema = _schema(tuple(group_classes()), False)
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
    return frozenset({*group_classes(), "artifacts", "experiment", "hydra"})


def _suggestion(overrides: Sequence[str]) -> str:
    """The key that is most like one that is not known; empty where there is none."""
    keys = {
        f"{group}.{key.name}"
        for group, cls in group_classes().items()
        for part in (cls.values() if isinstance(cls, Mapping) else (cls,))
        for key in fields(part)
    } | known_groups()
    for override in overrides:
        key = override.split("=", 1)[0].lstrip("+~")
        near = [] if key.count(".") > 1 or key in keys else get_close_matches(key, keys, 1, 0.7)
        if near:
            return f"; did you mean {near[0]}?"
    return ""
