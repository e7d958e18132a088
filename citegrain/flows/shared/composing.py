"""What Hydra composes: groups with their keys and types, the options of ``conf/``, overrides."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from citegrain.tasks.core.errors import UsageFault, printable
from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.online.configuration import CascadeConfig, stage_classes

if TYPE_CHECKING:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig, ListConfig, StringNode

_QUOTES = "'\"“”‘’"
_UNQUOTED = re.compile(r"[\w/\-\\+.$%*@?|: \t]", re.ASCII)
"""What a value may contain without quotes (grammar of Hydra 1.3)."""

_KEY = re.compile(r"[+~]{0,2}[\w.:/@-]+")
_LITERAL = re.compile(r"[\"$`!]|\\\\")
"""What double quotes leave its meaning to in a shell."""

_KINDS = {
    "converted to Integer": "must be a whole number",
    "converted to Float": "must be a number",
    "is not a valid bool": "must be true or false",
    "is not Optional": "needs a value",
}


class SettingsError(ValueError, UsageFault):
    """An override or a configuration file is wrong; the message names the key."""


def group_of(override: str) -> str:
    """The group, or the key at the top, that an override names."""
    return re.split(r"[.=@]", override.lstrip("+~"), maxsplit=1)[0]


def parsed(override: str, schema: DictConfig) -> Override:
    """An override as Hydra reads it; a number or ``true`` where a text belongs is the text that was typed.

    ``schema``: keys and types of the groups. Raises SettingsError if it cannot be read.
    """
    from hydra.errors import HydraException
    from omegaconf import ListConfig, StringNode

    key, equals, value = override.partition("=")
    if equals and key != key.strip() and _KEY.fullmatch(key.strip()):
        raise SettingsError(f"{override}: without blanks around the =; type {key.strip()}={value.strip()}")
    if not _KEY.fullmatch(key) or (not equals and not key.startswith("~")):
        raise SettingsError(
            f"{printable(override)}: a setting is typed KEY=VALUE, without blanks around the ="
        )
    try:
        read = _parser().parse_override(override)
    except (HydraException, ValueError) as error:
        meant = _as_list(value) if _takes(schema, key, ListConfig) else quoted(_meant(value))
        sign = next((sign for sign in value if not _UNQUOTED.match(sign)), "")
        why = f"a value with {printable(sign)} in it stands in quotes" if sign else "cannot be read"
        raise SettingsError(f"{printable(override)}: {why}{_to_type(key, meant)}") from error
    if _takes(schema, key, StringNode) and isinstance(read.value(), bool | int | float):
        return _parser().parse_override(f"{key}={quoted(value.strip())}")
    return read


def single(override: str, schema: DictConfig) -> str:
    """An override with one value, for Hydra. Raises SettingsError, with what to type."""
    from omegaconf import ListConfig, StringNode

    read = parsed(override, schema)
    if not read.is_sweep_override():
        return str(read.input_line)
    key, _, value = override.partition("=")
    if _takes(schema, key, ListConfig):
        raise SettingsError(f"{override}: a list stands in brackets{_to_type(key, _as_list(value))}")
    if _takes(schema, key, StringNode):
        raise SettingsError(f"{override}: a comma parts several values{_to_type(key, quoted(value))}")
    raise SettingsError(f"{override}: one value at a time here; citegrain bench and sweep take several")


@cache
def _parser() -> OverridesParser:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    return OverridesParser.create()


def _to_type(key: str, value: str) -> str:
    """What to type in a shell, as the end of a message; nothing where it would not be one line."""
    override = f"{key}={value}"
    if not override.isprintable():
        return ""
    if not _LITERAL.search(override):
        return f'; type "{override}"'
    return f"; type {shlex.quote(override)}"


def quoted(text: str) -> str:
    """A text in quotes, for Hydra; in double ones where the shell needs the single ones."""
    from hydra.core.override_parser.types import Quote, QuotedString

    quote = Quote.double if _LITERAL.search(text) and "'" not in text else Quote.single
    return str(QuotedString(text.replace("${", "\\${"), quote).with_quotes())


def written(key: str, value: Any) -> str:
    """An override that gives a key a value: of texts, numbers, lists and mappings."""
    return f"{'++' * isinstance(value, dict)}{key}={_hydra_text(value)}"


def _hydra_text(value: Any) -> str:
    match value:
        case str():
            return quoted(value)
        case list() | tuple():
            return f"[{','.join(map(_hydra_text, value))}]"
        case dict():
            return f"{{{','.join(f'{key}:{_hydra_text(item)}' for key, item in value.items())}}}"
    return "null" if value is None else str(value).lower()


def _as_list(value: str) -> str:
    return f"[{value.strip('[]() ')}]"


def _meant(value: str) -> str:
    """A value without the quotes in which somebody set it, and with the home folder in the place of ``~``."""
    if value[:1] not in _QUOTES:
        return str(Path(value).expanduser()) if value.startswith("~/") else value
    return value[1:-1] if len(value) > 1 and value[-1] in _QUOTES else value.lstrip(_QUOTES)


def _takes(schema: DictConfig, key: str, kind: type[StringNode] | type[ListConfig]) -> bool:
    """Whether a key takes a text, or a list; it may be neither, or of a group of several kinds."""
    from omegaconf import DictConfig, StringNode

    node: Any = schema
    for part in key.lstrip("+").split("."):
        node = node._get_node(part) if isinstance(node, DictConfig) and part in node.keys() else None  # noqa: SIM118 - what is missing is a key
    return isinstance(node, kind) or (kind is StringNode and key == "artifacts")


def plain_words(error: BaseException, overrides: Sequence[str]) -> str:
    """What an error of Hydra's or OmegaConf's says of a key, on one line."""
    text = f"{error}\n{error.__cause__ or ''}".split("\nConfig search path:")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if (missing := re.search(r"Could not find '(.+)/(.+?)'", text)) and "Available options" in text:
        at = next(n for n, line in enumerate(lines, 1) if line.startswith("Available options"))
        group, option, names = missing[1], missing[2], lines[at:]
        near = [n for n in names if n.startswith(option)] or get_close_matches(option, names, 1, 0.5)
        meant = f"; did you mean {near[0]}?" if near else ""
        return f"{group}={option}: must be one of {', '.join(names)}{meant}"
    if merged := re.search(r"Error merging override (.*)", text):
        key = merged[1].partition("=")[0]
        if "is not a ListConfig" in text:
            return f'{merged[1]}: must be a list; type "{key}=[...]"'
        if wrong := next((words for said, words in _KINDS.items() if said in text), ""):
            return f"{merged[1]}: {wrong}"
    if unknown := re.search(r"Could not override '(.*?)'.*?Key '.*?' is not in struct", text, re.DOTALL):
        return f"{unknown[1]}: there is no such group or key"
    if "nterpolation" in text and (culprit := next((o for o in overrides if "${" in o), "")):
        key, _, value = culprit.partition("=")
        means = "${...} means the value of another key"
        return f"{printable(culprit)}: {means}{_to_type(key, quoted(_meant(value)))}"
    noise = ("full_key", "object_type", "reference_type", "To append", "set env", "provider=")
    telling = [line for line in dict.fromkeys(lines) if not line.startswith(noise)]
    return " ".join(telling[:2]) or type(error).__name__


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
