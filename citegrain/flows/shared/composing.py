"""What Hydra composes: groups with their keys and types, the options of ``conf/``, overrides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import is_dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from citegrain.flows.shared.overrides import group_of
from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.online.configuration import CascadeConfig, stage_classes

if TYPE_CHECKING:  # Hydra and OmegaConf take a while: settings that are remembered need neither
    from omegaconf import DictConfig

CONF = PACKAGE / "conf"
Kinds = Mapping[str, type[Any]]
"""The dataclasses of a group by its key ``kind``."""

_CHOICES, _CONFIGS = "citegrain.flows.shared.choices", "citegrain.flows.shared.configs"
CLASSES = {
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

REQUIRED = ("corpus.name", "corpus.path", "benchmark.path", "embed.model")
"""Keys that an option or the user must give. A default would hide that they are missing: OmegaConf keeps it
where an option says ``???``."""

_PLAIN = re.compile(r"(?!hydra\.)\w+(\.\w+)*=")
_VALUE = re.compile(r"(?!hydra\.)(artifacts|\w+(\.\w+)+)=")
"""An override that adds and deletes nothing; one that Hydra applies once all options are composed."""
_SHIPS = re.compile(r"(\w+)=([\w/]+)")
"""One that chooses an option or an experiment, if there is a file of that name."""


def document_classes() -> dict[str, type[Any]]:
    """The dataclass of each stage over documents."""
    from citegrain.tasks.offline import chain  # the stages over documents: asking reads none of them

    return {stage.name: stage.config for stage in chain.DOCUMENT_STAGES}


def group_classes(online: bool = False) -> dict[str, type[Any] | Kinds]:
    """The dataclass of each group, or those of its kinds; ``online``: of what asking a build reads."""
    hints = get_type_hints(CascadeConfig).items()
    fields = {name: cls for name, cls in hints if isinstance(cls, type) and is_dataclass(cls)}
    names = ["corpus", "endpoint"] if online else list(CLASSES)
    classes = {name: getattr(import_module(CLASSES[name][0]), CLASSES[name][1]) for name in names}
    return classes | fields | stage_classes() | ({} if online else document_classes())


@cache
def schema_of(names: tuple[str, ...], online: bool) -> DictConfig:
    """Keys, types and defaults of the groups of some names: what the options in ``conf/`` change."""
    from omegaconf import MISSING, OmegaConf

    classes = group_classes(online)
    schema = OmegaConf.create({name: _schema_of_group(classes[name]) for name in names})
    for key in REQUIRED:
        if group_of(key) in names:
            OmegaConf.update(schema, key, MISSING)
    return schema


def _schema_of_group(cls: type[Any] | Kinds) -> DictConfig:
    """Of a group with several kinds any keys, since the kind is known when the options are merged."""
    from omegaconf import OmegaConf

    if isinstance(cls, Mapping):
        return OmegaConf.create({"kind": next(iter(cls))}, flags={"struct": False})
    return _writable(OmegaConf.structured(cls))


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


def composed(overrides: Sequence[str], names: tuple[str, ...], online: bool) -> DictConfig:
    """Options and values in the schema. Options that ship are read once, whatever their values are."""
    from hydra._internal.config_loader_impl import ConfigLoaderImpl  # what compose does has no public name
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf, open_dict

    theirs = {group_of(o) for o in overrides if not _PLAIN.match(o)}  # Hydra reads what is said of these
    if (mine := search_path()) or (theirs and {"experiment", "hydra"}.intersection(map(group_of, overrides))):
        return _compose((*overrides, *mine), names, online)
    first = tuple(o for o in overrides if group_of(o) in theirs)
    overrides = [o for o in overrides if group_of(o) not in theirs]
    options = [o for o in overrides if not _VALUE.match(o)]
    matches = [m for o in options if (m := _SHIPS.fullmatch(o)) and (CONF / f"{m[1]}/{m[2]}.yaml").is_file()]
    chosen = {match[1]: match[2] for match in matches}
    refused = options if len(chosen) < len(options) else ()  # by Hydra
    experiment = chosen.pop("experiment", "")
    options_of, values_of = _file(f"experiment/{experiment}") if experiment else ({}, {})
    config, alone = _options((*first, *refused), names, online)
    changes = {*map(group_of, overrides), *options_of, *values_of}
    same = [config._get_node(group) for group in alone - changes]
    config = deepcopy(config, {id(node): node for node in same})
    if not refused:
        for group, option in {**options_of, **chosen}.items():
            config[group] = _option(group, option, names, online)
        with open_dict(config):  # as Hydra, which lets no key be added once all is composed
            for group, changed in values_of.items():
                config[group] = OmegaConf.merge(config[group], changed)
    values = OverridesParser.create().parse_overrides([o for o in overrides if _VALUE.match(o)])
    ConfigLoaderImpl._apply_overrides_to_config(values, config)
    return config


@cache
def _option(group: str, option: str, names: tuple[str, ...], online: bool) -> DictConfig:
    """One group by itself: an option says nothing of others. Hydra takes a tenth of a second for each."""
    from omegaconf import OmegaConf

    schema = schema_of(names, online)[group] if group in names else OmegaConf.create()
    config: Any = OmegaConf.merge(schema, _file(f"{group}/{option}")[1])
    return config  # type: ignore[no-any-return]


@cache
def _file(name: str) -> tuple[Mapping[str, str], DictConfig]:
    """What a file of ``conf/`` says, over what it extends: the option of each group, and values."""
    from omegaconf import OmegaConf

    content: Any = OmegaConf.load(CONF / f"{name}.yaml")
    base: Any = OmegaConf.create()
    options: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for default in content.pop("defaults", []):
        if not isinstance(default, str):
            ((key, option),) = default.items()
            chosen[key.removeprefix("override /")] = option
        elif default != "_self_":
            file, _, package = default.partition("@")
            more, values = _file(f"{name.partition('/')[0]}/{file}")
            for part in reversed(package.replace("_here_", "").split(".") if package else []):
                values = OmegaConf.create({part: values}) if part else values
            options, base = {**options, **more}, OmegaConf.merge(base, values)
    merged: Any = OmegaConf.merge(base, content)
    return {**options, **chosen}, merged


def _compose(overrides: tuple[str, ...], names: tuple[str, ...], online: bool) -> DictConfig:
    from hydra import compose, initialize_config_dir
    from hydra.core.config_store import ConfigStore
    from hydra.core.global_hydra import GlobalHydra

    # the first default of conf/config.yaml
    ConfigStore.instance().store("citegrain_schema", schema_of(names, online))
    GlobalHydra.instance().clear()
    with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        return compose(config_name="config", overrides=list(overrides))


@lru_cache(64)
def _options(overrides: tuple[str, ...], names: tuple[str, ...], online: bool) -> tuple[DictConfig, set[str]]:
    """What Hydra composes, and its groups that refer to nothing elsewhere: copies may share them."""
    config = _compose(overrides, names, online)
    return config, {str(group) for group in config if "${" not in str(config._get_node(group))}
