"""The wheel: it holds the package and nothing beside it, and works from an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
LOCK = os.environ.get("CITEGRAIN_WHEEL_LOCK", "")
"""File of packages to install beside the wheel; empty: those of the environment that runs the tests."""

ASK = "The village school refuses to admit my seven year old daughter because we cannot pay"
LIBRARY = (
    "from citegrain import Build; "
    "print(Build.open('artifacts/builds/demo').search('The State took my land')[0].law)"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy in which the user has put a corpus."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    unwanted = shutil.ignore_patterns("__pycache__", "corpus.pdf")
    shutil.copytree(ROOT / "citegrain", source / "citegrain", ignore=unwanted)
    private = source / "citegrain" / "data" / "corpus" / "mine"
    private.mkdir(parents=True, exist_ok=True)
    (private / "secret.pdf").write_bytes(b"%PDF")
    (private.parent / "secret.pdf").write_bytes(b"%PDF")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", str(source), "--quiet", "--disable-pip-version-check",
            "--no-deps", "--no-build-isolation", "--wheel-dir", str(target),
        ],
        check=True, timeout=300,
    )  # fmt: skip
    return next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs a program of an environment in which the wheel is installed, always from the same empty folder."""
    folder, empty = tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=300)
    python, environment = folder / "bin" / "python", dict(os.environ)
    for name in ("PYTHONPATH", "CITEGRAIN_ARTIFACTS"):
        environment.pop(name, None)
    if LOCK:
        packages = ["-r", str(ROOT / LOCK)]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, timeout=1800)
    else:  # a line of a .pth is a folder; editable installs in it are not followed
        site_packages = next((folder / "lib").glob("python*/site-packages"))
        (site_packages / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", str(wheel)],
        check=True, timeout=300,
    )  # fmt: skip

    def program(name: str, *arguments: str) -> str:
        done = subprocess.run(
            [folder / "bin" / name, *arguments],
            cwd=empty, env=environment, capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return program


def test_the_package_is_the_only_top_level_and_is_whole(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"citegrain"}
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "citegrain"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    hidden = {name for name in tracked if Path(name).name.startswith(".")}
    assert not tracked - hidden - set(names)
    assert not any(name.startswith("citegrain/data/corpus/") for name in names)


def test_it_works_from_an_empty_folder(run: Callable[..., str]) -> None:
    assert "site-packages" in run("python", "-c", "import citegrain; print(citegrain.__file__)")
    assert "rollback" in run("citegrain", "--help")
    assert "published artifacts/builds/demo" in run("citegrain", "index", "corpus=demo")
    assert "1. " in run("citegrain", "ask", ASK)
    assert "Constitution" in run("python", "-c", LIBRARY)
