"""Functions that a configuration names: each in a file of its own, both with that name.

A channel or a scorer is added by one file in its package; nothing lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def names(package: ModuleType) -> list[str]:
    """What may be named: the files of a package."""
    return sorted(module.name for module in iter_modules(package.__path__))


def function(package: ModuleType, name: str) -> Callable[..., Any]:
    """The function of a name, from the file of that name."""
    named: Callable[..., Any] = getattr(import_module(f"{package.__name__}.{name}"), name)
    return named


@cache
def reads(of: Callable[..., Any]) -> Mapping[str, Parameter]:
    """The parameters of a function, looked up once: each question asks for those of each channel thrice."""
    return signature(of).parameters


def parameters(of: Callable[..., Any], config: Any) -> dict[str, Any]:
    """What a function reads of a configuration: a value for each of its keyword-only parameters.

    The name of a parameter is that of a field of the configuration, else of one of its ``options``.

    Raises
    ------
    ValueError
        If a parameter without a default has no value.
    """
    keywords = [p for p in reads(of).values() if p.kind is Parameter.KEYWORD_ONLY]
    values = {p.name: getattr(config, p.name, config.options.get(p.name, p.default)) for p in keywords}
    for name, value in values.items():
        if value is Parameter.empty:
            raise ValueError(f"{of.__name__} needs a value for {name}: add it to the options")
    return values


def check(key: str, package: ModuleType, chosen: list[str], options: Mapping[str, Any]) -> None:
    """Refuse names that are not there, and options that none of the chosen functions reads.

    Raises
    ------
    ValueError
        If there is such a one; the message lists what there is.
    """
    for name in chosen:
        if name not in names(package):
            raise ValueError(f"{key}: {name} is unknown; there are {', '.join(names(package))}")
    for option in options:
        if not any(option in reads(function(package, name)) for name in chosen):
            raise ValueError(f"{key}: no {' or '.join(chosen)} reads the option {option}")
