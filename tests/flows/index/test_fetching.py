"""A corpus over HTTP from its configuration to its documents and its build."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citegrain.flows.index.inputs import corpus_sources, fetch_corpus, prepare, published_sources
from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings
from citegrain.tasks.offline.corpus import CorpusError, compare_sources
from citegrain.tasks.offline.corpus.remote import FetchedDocument
from citegrain.tasks.offline.plan import CorpusPaths
from tests import typeset
from tests.flows.conftest import BELL, Quiet
from tests.tasks.offline.corpus.document_server import PDF, Server, send, serving

Make = Callable[..., Settings]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as one:
        yield one


@pytest.fixture
def fetched_settings(tmp_path: Path, server: Server, tiny_model: Path) -> Make:
    """Settings of a corpus of two documents."""
    (tmp_path / "list.yaml").write_text(f"- {server.url('/lantern.pdf')}\n- {server.url('/bell.pdf')}\n")

    def make(*overrides: str) -> Settings:
        return load_settings([
            "corpus=http", "corpus.name=mine", f"corpus.sources='{tmp_path / 'list.yaml'}'",
            f"corpus.path='{tmp_path / 'fetched'}'", f"artifacts='{tmp_path / 'artifacts'}'", "embed=hub",
            f"embed.model='{tiny_model}'", "parse.ocr=off", "runner.workers=1", "corpus.http.attempts=1",
            *overrides,
        ])  # fmt: skip

    return make


def corpus(settings: Settings) -> CorpusPaths:
    return prepare(settings).corpus


def fetch(settings: Settings, progress: Progress) -> list[FetchedDocument]:
    return fetch_corpus(corpus(settings), settings.corpus.http, progress)


def test_the_configuration() -> None:
    corpus = load_settings(["corpus=http", "corpus.name=mine", "corpus.sources=list.yaml"]).corpus
    assert corpus.path == "artifacts/corpus/mine" and corpus.http.max_mib == 100
    for wrong, words in [
        ("corpus.sources=''", "corpus.sources"),
        ("corpus.http.max_mib=0", "max_mib"),
        ("corpus.http.attempts=0", "attempts"),
        ("corpus.http.auth=digest", "corpus.http.auth=digest"),
        ("corpus.http.auth=bearer", "set together"),
        ("corpus.http.colour=red", "colour"),
    ]:
        with pytest.raises(SettingsError, match=words):
            load_settings(["corpus=http", "corpus.name=mine", "corpus.sources=list.yaml", wrong])


def test_no_other_corpus_is_fetched(settings: Make) -> None:
    assert fetch(settings(), Quiet()) == []


def test_what_became_of_each_document_is_said(server: Server, fetched_settings: Make, tmp_path: Path) -> None:
    server.documents |= {"/lantern.pdf": PDF}
    server.answers["/bell.pdf"] = send(500)
    said = Quiet()
    assert [f.status for f in fetch(fetched_settings(), said)] == ["added", "not_reached"]
    assert said.steps == ["fetch"] and said.lines == [
        "lantern.pdf: added",
        f"bell.pdf: not reached: {server.url('/bell.pdf')}: HTTP 500; there is no file of it yet",
    ]
    bell, lantern = corpus_sources(corpus(fetched_settings()))
    assert bell.error == "not fetched: HTTP 500" and lantern.document_id
    server.answers["/bell.pdf"] = server.answers["/lantern.pdf"] = send(410)
    assert [f.status for f in fetch(fetched_settings(), said)] == ["gone", "gone"]
    assert [bool(s.document_id) for s in corpus_sources(corpus(fetched_settings()))] == [False, True]


def test_the_secret_comes_from_the_environment(
    server: Server, fetched_settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.documents |= {"/lantern.pdf": PDF}
    host = f"127.0.0.1:{server.server_address[1]}"
    auth = ["corpus.http.auth_env=LAWS_SECRET", f"corpus.http.auth_host='{host}'"]
    monkeypatch.delenv("LAWS_SECRET", raising=False)
    with pytest.raises(CorpusError, match="auth_env=LAWS_SECRET: the environment has no such variable"):
        fetch(fetched_settings("corpus.http.auth=bearer", *auth), Quiet())
    monkeypatch.setenv("LAWS_SECRET", "t0ken")
    with pytest.raises(CorpusError, match="must be user:password of ASCII signs") as error:
        fetch(fetched_settings("corpus.http.auth=basic", *auth), Quiet())
    assert "t0ken" not in str(error.value) and not server.requests
    said = Quiet()
    fetch(fetched_settings("corpus.http.auth=bearer", *auth), said)
    assert server.requests[0][1]["authorization"] == "Bearer t0ken"
    assert not any("t0ken" in line for line in said.lines)


@pytest.mark.prefect
@pytest.mark.xdist_group("index")
def test_a_build_keeps_a_document_whose_page_is_gone(
    server: Server, fetched_settings: Make, lantern_pdf: bytes
) -> None:
    server.documents |= {"/lantern.pdf": lantern_pdf, "/bell.pdf": typeset.india_code(BELL)}
    first = run_index(fetched_settings(), Quiet())
    assert first.build is not None
    server.answers["/bell.pdf"] = send(404)
    again = run_index(fetched_settings(), Quiet())
    assert again.build == first.build and not again.started_flow
    changes = compare_sources(
        published_sources(corpus(fetched_settings())), corpus_sources(corpus(fetched_settings()))
    )
    assert changes.line == "sources: 2 unchanged"
    amended = lantern_pdf + b"% amended\n"
    server.documents["/lantern.pdf"] = amended
    fetch(fetched_settings(), Quiet())
    changes = compare_sources(
        published_sources(corpus(fetched_settings())), corpus_sources(corpus(fetched_settings()))
    )
    assert [(a.relative, b.relative) for a, b in changes.changed] == [("lantern.pdf", "lantern.pdf")]
