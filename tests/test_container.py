"""The files of the container, read without a daemon: what they name exists, and no more is open than must be."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import requires
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from citegrain.flows.cli.main import app
from tests.conftest import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "citegrain"}
OTHERS = {name: service for name, service in SERVICES.items() if name not in OURS}
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
HOME = "/tmp"  # noqa: S108 - of the container
SECRET = re.compile(r"KEY|TOKEN|PASSWORD|SECRET")


def instructions(text: str) -> list[tuple[str, str]]:
    """Name and words of each instruction of a Containerfile; comments are left out, long lines joined."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\s*\\\n\s*", " ", lines)
    return [(line.split()[0], line.partition(" ")[2]) for line in joined.splitlines() if line.strip()]


STEPS = instructions(CONTAINERFILE)


def tracked() -> set[str]:
    """The files that are part of the repository, or will be."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(listed.stdout.splitlines())


def is_sent(path: str) -> bool:
    """Whether a file is in the context of the build: of the patterns of .dockerignore the last that fits decides."""
    sent = True
    parts = PurePosixPath(path).parts
    above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    for pattern in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        glob = pattern.removeprefix("!")
        globs = {glob, glob.removeprefix("**/")}
        if pattern and not pattern.startswith("#") and any(fnmatch(p, g) for p in above for g in globs):
            sent = pattern.startswith("!")
    return sent


def test_compose_fits_its_schema() -> None:
    pytest.importorskip("check_jsonschema", reason="make setup-dev installs check-jsonschema")
    words = ["--builtin-schema", "vendor.compose-spec", str(ROOT / "compose.yaml")]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_starts_by_itself_and_what_by_a_profile() -> None:
    profiles = {name: service.get("profiles", []) for name, service in SERVICES.items()}
    assert profiles == {
        "api": [], "schedule": [], "qdrant": ["qdrant"], "ollama": ["ollama"],
        "dask-scheduler": ["dask"], "dask-worker": ["dask"],
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name, service in OURS.items() if "entrypoint" not in service])
def test_a_service_runs_a_command_that_exists(name: str, tmp_path: Path) -> None:
    words = [DEFAULT.sub(r"\1", word) for word in OURS[name]["command"]]
    result = CliRunner(env={"CITEGRAIN_ARTIFACTS": str(tmp_path)}).invoke(app, [*words, "--cfg"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", [name for name, service in OURS.items() if "entrypoint" in service])
def test_a_service_of_dask_runs_a_command_that_exists(name: str) -> None:
    cli = pytest.importorskip("distributed.cli")
    kind = {"dask-scheduler": "scheduler", "dask-worker": "worker"}[name]
    command = __import__(f"{cli.__name__}.dask_{kind}", fromlist=["main"]).main
    assert OURS[name]["entrypoint"] == ["dask", kind]
    assert command.make_context(kind, list(OURS[name]["command"]))


def test_ports_are_on_loopback_alone() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {
        "api": ["127.0.0.1:8000:8000"],
        "qdrant": ["127.0.0.1:6333:6333", "127.0.0.1:6334:6334"],
        "ollama": ["127.0.0.1:11434:11434"],
    }
    assert not any("network_mode" in service or "privileged" in service for service in SERVICES.values())


def test_no_secret_stands_in_a_file() -> None:
    for name, service in SERVICES.items():
        given = {key: value for key, value in service.get("environment", {}).items() if SECRET.search(key)}
        assert not any(given.values()), f"{name}: {sorted(given)}"
    assert OURS["api"]["environment"]["CITEGRAIN_ADMIN_TOKEN"] is None
    assert not any(SECRET.search(words) for name, words in STEPS if name in ("ENV", "ARG"))
    ignored = subprocess.run(["git", "check-ignore", "-q", ".env"], cwd=ROOT, check=False)
    assert ignored.returncode == 0 and not is_sent(".env")


def test_names_of_variables_are_those_of_the_code() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "citegrain").rglob("*.py"))
    names = {key for service in OURS.values() for key in service.get("environment", {})} | {
        words.partition("=")[0] for name, line in STEPS if name == "ENV" for words in shlex.split(line)
    }
    ours = {name for name in names if name.startswith("CITEGRAIN_")}
    assert len(ours) >= 10
    # the second endpoint has the names of the first, with SECOND in them
    assert {name for name in ours if name.replace("LLM_SECOND", "LLM") not in code} == set()


@pytest.mark.parametrize("name", OURS)
def test_a_service_can_write_artefacts_alone(name: str) -> None:
    service = OURS[name]
    assert service["read_only"] is True and service["tmpfs"] == [HOME]
    assert service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"]
    assert "user" not in service  # that of the image
    artifacts, corpus = service["volumes"]
    assert artifacts == "artifacts:/srv/artifacts" and "artifacts" in COMPOSE["volumes"]
    assert corpus["target"] == "/srv/corpus" and corpus["read_only"] is True
    assert not is_sent(DEFAULT.sub(r"\1", corpus["source"]).removeprefix("./"))


def test_images_of_others_are_pinned_and_keep_what_they_have() -> None:
    for name, service in OTHERS.items():
        assert re.fullmatch(rf"{name}/{name}:v?\d+\.\d+\.\d+", service["image"])
        assert service["volumes"][0].startswith(f"{name}:/") and name in COMPOSE["volumes"]


def test_the_image_is_not_run_as_root() -> None:
    last = {name: words for name, words in STEPS if name in ("USER", "ENTRYPOINT", "ENV", "FROM")}
    assert [words for name, words in STEPS if name == "USER"] == ["10001:10001"]
    assert last["ENTRYPOINT"] == '["citegrain"]' and last["FROM"] == "python:3.11-slim"
    environment = dict(word.split("=", 1) for word in shlex.split(last["ENV"]))
    assert environment["HOME"] == HOME and environment["CITEGRAIN_ARTIFACTS"] == "/srv/artifacts"
    assert "install -d -o 10001 -g 10001 /srv/artifacts" in CONTAINERFILE


def test_what_the_image_copies_is_in_the_repository() -> None:
    files = tracked()
    copied = [
        source
        for name, words in STEPS
        if name == "COPY" and "--from=" not in words
        for source in words.split()[:-1]
    ]
    assert {"requirements.lock", "requirements-dev.lock", "pyproject.toml", "citegrain"} <= set(copied)
    for source in copied:
        below = {file for file in files if file == source or file.startswith(f"{source}/")}
        assert below and all(is_sent(file) for file in below), source
    for kept_back in (
        ".git/config",
        "artifacts/store/x",
        "citegrain/data/corpus/mine.pdf",
        "tests/conftest.py",
    ):
        assert not is_sent(kept_back)


@pytest.mark.parametrize("version", ["3.11.0", "3.11.3", "3.12.0", "3.13.0"])
def test_the_lock_has_what_each_python_needs(version: str) -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    locked = [Requirement(line) for line in lines if not line.startswith("#")]
    python = {"python_full_version": version, "python_version": version.rpartition(".")[0], "extra": ""}
    here = {canonicalize_name(r.name) for r in locked if r.marker is None or r.marker.evaluate(python)}
    needed = {
        canonicalize_name(need.name): r.name
        for r in locked
        if r.marker is None  # the others need nothing, and may not be installed
        for need in map(Requirement, requires(r.name) or ())
        if need.marker is None or need.marker.evaluate(python)
    }
    assert {name: source for name, source in needed.items() if name not in here} == {}


def test_the_image_is_made_of_the_locks() -> None:
    installs = [words for name, words in STEPS if name == "RUN" and words.startswith("pip install")]
    assert installs[0] == "pip install -c requirements.lock torch==2.13.0", "with what its build needs"
    assert installs[1] == "pip install --no-deps -r requirements.lock"
    assert installs[2].startswith("pip install -c requirements-dev.lock ")
    assert re.search(
        r"^torch==2\.13\.0$", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = {
        re.split(r"[<>=]", one)[0]
        for extra in ("dask", "mcp", "qdrant", "s3")
        for one in extras[extra]
        if "[" not in one
    }
    more = set(installs[2].split()[4:])
    assert needed - more == {"bokeh"}  # Dask's page, which no container shows
    pins = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    assert more <= {pin.partition("==")[0] for pin in pins}


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_check_of_health(status: int, healthy: bool) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _, python, *words = OURS["api"]["healthcheck"]["test"]
        assert python == "python"
        words = [word.replace("8000", str(server.server_port)) for word in words]
        done = subprocess.run([sys.executable, *words], capture_output=True, check=False)
        server.shutdown()
    assert (done.returncode == 0) is healthy


@pytest.mark.parametrize("answering", ["docker", "podman", ""])
def test_make_image_takes_the_tool_that_answers(answering: str, tmp_path: Path) -> None:
    for tool in ("docker", "podman"):
        body = f'[ "$1" = info ] && exit {int(tool != answering)}; echo {tool}; printf "%s\\n" "$@"'
        (tmp_path / tool).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tmp_path / tool).chmod(0o755)
    done = subprocess.run(
        ["make", "-s", "image", "PACKAGES=tesseract-ocr tesseract-ocr-eng"],
        cwd=ROOT, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = done.stdout.splitlines()
    if answering:
        assert done.returncode == 0 and said[:2] == [answering, "build"]
        assert "PACKAGES=tesseract-ocr tesseract-ocr-eng" in said and "PIP_EXTRA_INDEX_URL" in said
    else:
        assert done.returncode == 2
        assert said == ["no docker and no podman answers: install one, or start its daemon"]
