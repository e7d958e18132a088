"""Functions that a configuration names: each in a file of its own, both with that name.

A channel, a scorer or a controller is added by one file in a package of its kind; nothing lists them. The
packages are named by strings, so that the main packages find what stands above them without importing it. One
that stands elsewhere is named by its import path, ``module:function``.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from traceback import extract_tb
from typing import Any
from uuid import uuid4

from citegrain.tasks.core.stage import digest


@dataclass(frozen=True)
class Plugins:
    """Functions of one kind, a file each in ``packages``; ``key``: the setting that names them."""

    key: str
    packages: tuple[str, ...]

    def names(self) -> list[str]:
        """What may be named."""
        return sorted(name for package in self.packages for name in _files(package))

    def function(self, name: str) -> Callable[..., Any]:
        """The function of a name or import path; nothing else is imported. Raises ValueError."""
        if ":" in name:
            return _imported(self.key, name)
        for package in self.packages:
            if name in _files(package):
                plugin: Callable[..., Any] = getattr(import_module(f"{package}.{name}"), name)
                return plugin
        hint = "; an import path is written module:function" if "." in name else ""
        raise ValueError(f"{self.key}: {name} is unknown; there are {', '.join(self.names())}{hint}")

    def source(self, name: str) -> dict[str, str]:
        """What a key holds of a function beside its name: the source of one that stands elsewhere."""
        return {"source": source(self.function(name))} if ":" in name else {}

    def check(self, chosen: Sequence[str], options: Mapping[str, Any]) -> None:
        """Raise ValueError for names that are not there, and for options that no chosen function reads."""
        functions = [self.function(name) for name in chosen]
        for option in options:
            if not any(option in reads(function) for function in functions):
                raise ValueError(f"{self.key}: no {' or '.join(chosen)} reads the option {option}")


def _files(package: str) -> Sequence[str]:
    return _modules(tuple(import_module(package).__path__))


@cache
def _modules(folders: tuple[str, ...]) -> Sequence[str]:
    """Looked up once: a question asks for each of its channels."""
    return [module.name for module in iter_modules(folders)]


_GIVEN: dict[str, Callable[..., Any]] = {}


def plugin(function: Callable[..., Any]) -> str:
    """The name by which a configuration may hold a function: ``RetrieveConfig([plugin(recent)])``.

    Results are stored under that name and its source: whoever changes it, or its package, gets others.
    """
    name = f"{function.__module__}:{function.__qualname__}"
    _GIVEN[name] = function
    return name


def _imported(key: str, name: str) -> Callable[..., Any]:
    """The function of an import path."""
    module, _, path = name.partition(":")
    try:
        function: Callable[..., Any] = _GIVEN.get(name) or attrgetter(path)(import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        hint = "; PYTHONPATH=. adds the working folder" if isinstance(error, ModuleNotFoundError) else ""
        raise ValueError(f"{key}: {name} cannot be imported: {error}{hint}") from None
    except Exception as error:  # noqa: BLE001 - the module of another may raise anything
        at = extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({at.filename}, line {at.lineno})"
        raise ValueError(f"{key}: {name} cannot be imported: {what}") from None
    return function


@cache
def source(function: Callable[..., Any]) -> str:
    """Digest of what a function or class was written as, with all of its package; empty for one that ships.

    What ships has the version of its stage. What has no source, as at a prompt, is like nothing else.
    """
    root = function.__module__.partition(".")[0]
    if root == __name__.partition(".")[0]:
        return ""
    module = sys.modules[root]
    files = [f for folder in getattr(module, "__path__", ()) for f in sorted(Path(folder).rglob("*.py"))]
    try:
        if files or (file := getattr(module, "__file__", None)) is None:
            return digest([f.read_text(encoding="utf-8") for f in files] or inspect.getsource(function))
        return digest(Path(file).read_text(encoding="utf-8"))
    except (OSError, TypeError):
        return uuid4().hex


@cache
def reads(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """The parameters of a function, looked up once: each question asks for those of each channel thrice."""
    return signature(function).parameters


def parameters(function: Callable[..., Any], config: Any) -> dict[str, Any]:
    """What a function reads of a configuration: a value for each of its keyword-only parameters.

    The name of a parameter is that of a field of the configuration, else of one of its ``options``. Raises
    ValueError if a parameter without a default has no value.
    """
    keywords = [p for p in reads(function).values() if p.kind is Parameter.KEYWORD_ONLY]
    values = {p.name: getattr(config, p.name, config.options.get(p.name, p.default)) for p in keywords}
    for name, value in values.items():
        if value is Parameter.empty:
            raise ValueError(f"{function.__name__} needs a value for {name}: add it to the options")
    return values
