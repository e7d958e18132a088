"""Sources over HTTP, against a server on loopback: what is asked for, what is kept, what is refused."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from citegrain.tasks.core.mupdf import pymupdf
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.offline.corpus import FORMS, CorpusError
from citegrain.tasks.offline.corpus.remote import (
    STATE,
    FetchedDocument,
    HttpConfig,
    ListedDocument,
    Secret,
    listed_sources,
    read_list,
    refresh,
    refreshing,
)
from citegrain.tasks.offline.corpus.remote.listing import name_of
from tests.tasks.offline.corpus.document_server import NEWER, PDF, Server, in_turn, raw, send, serving

CONFIG = HttpConfig(max_mib=0.01, timeout=2.0, attempts=2, longest_wait=0.01)
HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as one:
        one.documents["/a.pdf"] = PDF
        yield one


def run(
    server: Server, folder: Path, *paths: str, config: HttpConfig = CONFIG, secret: Secret | None = None
) -> list[FetchedDocument]:
    listed = [ListedDocument(server.url(path), f"{Path(path.partition('?')[0]).stem}.pdf") for path in paths]
    return refresh(listed, folder, config, secret, "2026-11-22T00:00:00+00:00")


def web(monkeypatch: pytest.MonkeyPatch, redirects: dict[str, str]) -> list[str]:
    """A network in which some URLs redirect and all others are gone; the URLs that were asked for."""
    requests: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(str(request.url))
        if requests[-1] in redirects:
            return httpx.Response(302, headers={"Location": redirects[requests[-1]]})
        return httpx.Response(404)

    client = partial(httpx.AsyncClient, transport=httpx.MockTransport(answer))
    monkeypatch.setattr(refreshing, "new_client", lambda config: client())
    return requests


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def state(folder: Path) -> Any:
    return json.loads((folder / STATE).read_text())["files"]


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name != ".sources.lock")


def test_a_document_is_fetched_and_then_asked_for_conditionally(server: Server, tmp_path: Path) -> None:
    (added,) = run(server, tmp_path, "/a.pdf")
    assert (added.status, added.document_id, added.before) == ("added", sha(PDF), "")
    assert (tmp_path / "a.pdf").read_bytes() == PDF and names(tmp_path) == [STATE, "a.pdf"]
    stored = state(tmp_path)["a.pdf"]
    assert stored["sha256"] == sha(PDF) and stored["etag"] == server.etag("/a.pdf")
    assert stored["checked"] == "2026-11-22T00:00:00+00:00"
    (same,) = run(server, tmp_path, "/a.pdf")
    assert same.status == "unchanged" and same.document_id == same.before == sha(PDF)
    first, second = (headers for _, headers in server.requests)
    assert "if-none-match" not in first and first["accept-encoding"] == "identity"
    assert second["if-none-match"] == server.etag("/a.pdf")
    server.documents["/a.pdf"] = NEWER
    (changed,) = run(server, tmp_path, "/a.pdf")
    assert (changed.status, changed.document_id, changed.before) == ("changed", sha(NEWER), sha(PDF))
    assert (tmp_path / "a.pdf").read_bytes() == NEWER


def test_a_date_alone_makes_a_request_conditional(server: Server, tmp_path: Path) -> None:
    day = "Sat, 21 Nov 2026 10:00:00 GMT"
    server.answers["/a.pdf"] = in_turn(send(200, PDF, Last_Modified=day), send(304))
    assert run(server, tmp_path, "/a.pdf")[0].status == "added"
    assert run(server, tmp_path, "/a.pdf")[0].status == "unchanged"
    assert server.requests[1][1]["if-modified-since"] == day


def test_equal_bytes_under_a_new_etag_are_no_change(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path, "/a.pdf")
    written = (tmp_path / "a.pdf").stat().st_mtime_ns
    server.etags["/a.pdf"] = '"moved"'
    (same,) = run(server, tmp_path, "/a.pdf")
    assert same.status == "unchanged" and (tmp_path / "a.pdf").stat().st_mtime_ns == written
    assert state(tmp_path)["a.pdf"]["etag"] == '"moved"'
    run(server, tmp_path, "/a.pdf")
    assert server.requests[2][1]["if-none-match"] == '"moved"'


@pytest.mark.parametrize("outage", [None, 500, 404, 410, 403])
def test_a_file_that_someone_changed_or_lost_is_fetched_anew(
    server: Server, tmp_path: Path, outage: int | None
) -> None:
    run(server, tmp_path, "/a.pdf")
    (tmp_path / "a.pdf").write_bytes(b"%PDF- cut")
    if outage:
        server.answers["/a.pdf"] = send(outage)
        run(server, tmp_path, "/a.pdf")
        del server.answers["/a.pdf"]
    assert run(server, tmp_path, "/a.pdf")[0].status == "changed"
    (tmp_path / "a.pdf").unlink()
    assert run(server, tmp_path, "/a.pdf")[0].status == "added"
    (tmp_path / STATE).write_text('{"version": 1, "files": {"a.pdf": {"etag": 7}}}')
    assert run(server, tmp_path, "/a.pdf")[0].status == "unchanged"
    assert all("if-none-match" not in headers for _, headers in server.requests)
    assert (tmp_path / "a.pdf").read_bytes() == PDF


@pytest.mark.parametrize("status", [404, 410])
def test_a_document_that_is_gone_keeps_its_file(server: Server, tmp_path: Path, status: int) -> None:
    run(server, tmp_path, "/a.pdf")
    server.answers["/a.pdf"] = send(status, b"gone")
    (gone,) = run(server, tmp_path, "/a.pdf")
    assert gone.status == "gone" and gone.document_id == sha(PDF)
    assert "stays in use" in gone.line
    listed = [ListedDocument(server.url("/a.pdf"), "a.pdf")]
    assert [s.document_id for s in listed_sources(listed, tmp_path)] == [sha(PDF)]
    del server.answers["/a.pdf"]
    assert run(server, tmp_path, "/a.pdf")[0].status == "unchanged"


def test_a_server_that_fails_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.answers["/a.pdf"] = in_turn(send(503, Retry_After="99999"), send(200, PDF))
    begun = time.monotonic()
    assert run(server, tmp_path, "/a.pdf")[0].status == "added"
    assert len(server.requests) == 2 and time.monotonic() - begun < 5
    server.answers["/a.pdf"] = send(500)
    (failed,) = run(server, tmp_path, "/a.pdf", "/b.pdf")[:1]
    assert (failed.status, failed.reason, failed.document_id) == ("not_reached", "HTTP 500", sha(PDF))


def test_no_server_at_all(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path, "/a.pdf")
    server.shutdown()
    server.server_close()
    (failed,) = run(server, tmp_path, "/a.pdf")
    assert failed.status == "not_reached" and failed.reason == "no connection to the server"
    assert (tmp_path / "a.pdf").read_bytes() == PDF


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (send(200, b"<!DOCTYPE html><p>maintenance"), "refused", "looks like HTML"),
        (send(200, b"%PD"), "refused", "not a .pdf file: it looks like a text"),
        (send(200, bytes(range(256))), "refused", "neither PDF, Word"),
        (send(200, b"PK\x03\x04 cut"), "refused", "damaged or truncated"),
        (send(200, b"{\\rtf1 law}"), "refused", "an RTF file"),
        (send(200), "refused", "empty"),
        (send(403), "refused", "HTTP 403"),
        (send(204), "refused", "HTTP 204"),
        (send(206, PDF), "refused", "HTTP 206"),
        (send(200, PDF, Content_Encoding="gzip"), "refused", "compresses"),
        (send(200, PDF, Content_Length="99999999"), "refused", "more than corpus.http.max_mib=0.01"),
        (raw(HEAD + b"\r\n" + PDF, b"x" * 4096, forever=True), "refused", "more bytes arrive"),
        (raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\n%PDF-\r\n", forever=True), "refused", ""),
        (raw(HEAD + b"Content-Length: 500\r\n\r\n" + PDF), "not_reached", "broke off"),
        (raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n%PDF-\r\n"), "not_reached", "broke off"),
        (raw(HEAD + b"\r\n%PDF-1.7 cut in the mid"), "not_reached", "may be cut"),
        (raw(HEAD + b"Content-Length: 500\r\nContent-Length: 25\r\n\r\n" + PDF), "not_reached", "not HTTP"),
        (raw(b"220 ftp ready\r\n"), "not_reached", "not HTTP"),
        (raw(HEAD, b"X-Long: " + b"x" * 9000 + b"\r\n", forever=True), "not_reached", ""),
        (send(302, Location="file:///etc/passwd"), "refused", "other than http"),
        (send(302, Location="/moods.pdf"), "refused", "corpus.http.redirects=5"),
        (send(302, Location="http://"), "", ""),
        (send(302, Location="http://127.0.0.1:99999/a.pdf"), "refused", "impossible port"),
        (send(302, Location="http://127.0.0.1:-1/a.pdf"), "refused", "impossible port"),
        (send(302), "refused", "HTTP 302"),
    ],
)  # fmt: skip
def test_what_is_no_document_ends_in_one_line_and_loses_nothing(
    server: Server, tmp_path: Path, answer: Any, status: str, words: str
) -> None:
    server.documents["/moods.pdf"] = PDF
    run(server, tmp_path, "/moods.pdf")
    server.answers["/moods.pdf"] = answer
    (failed,) = run(server, tmp_path, "/moods.pdf")
    assert failed.status in ((status,) if status else ("refused", "not_reached"))
    assert words in failed.reason and "\n" not in failed.line
    assert (tmp_path / "moods.pdf").read_bytes() == PDF and names(tmp_path) == [STATE, "moods.pdf"]
    assert state(tmp_path)["moods.pdf"]["reason"] == failed.reason


@pytest.mark.parametrize(
    "answer",
    [
        raw(HEAD + b"Content-Length: 500\r\n\r\n%PDF-1.7", b"x", pause=0.05, forever=True),
        raw(HEAD, b"X: y\r\n", pause=0.05, forever=True),
        raw(b"", pause=30),
    ],
    ids=["body", "headers", "silence"],
)
def test_a_server_that_drips_is_cut_off(server: Server, tmp_path: Path, answer: Any) -> None:
    run(server, tmp_path, "/a.pdf")
    server.answers["/a.pdf"] = answer
    config = replace(CONFIG, timeout=0.4, attempts=1)
    begun = time.monotonic()
    (failed,) = run(server, tmp_path, "/a.pdf", config=config)
    assert failed.status == "not_reached" and "corpus.http.timeout=0.4 s" in failed.reason
    assert time.monotonic() - begun < 5 and (tmp_path / "a.pdf").read_bytes() == PDF


def test_one_bad_document_does_not_keep_the_others(server: Server, tmp_path: Path) -> None:
    server.answers["/b.pdf"] = send(200, b"<html>")
    server.documents["/c.pdf"] = NEWER
    counted: list[int] = []
    listed = [ListedDocument(server.url(f"/{n}.pdf"), f"{n}.pdf") for n in "abc"]
    done = refresh(listed, tmp_path, CONFIG, None, "now", counted.append)
    assert [d.status for d in done] == ["added", "refused", "added"] and counted == [1, 1, 1]
    sources = listed_sources(listed, tmp_path)
    assert [s.document_id for s in sources] == [sha(PDF), "", sha(NEWER)]
    assert sources[1].error == "not fetched: not a .pdf file: it looks like HTML"


HTML, TEXT = (
    b"<!doctype html><title>An Act</title><p>1. Short title.</p></html>",
    b"THE LANTERN ACT, 1999\n1. Title.",
)


def office(part: str) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(part, "<x/>")
    return out.getvalue()


WORD, SHEET, SLIDES = office("word/document.xml"), office("xl/workbook.xml"), office("ppt/presentation.xml")


@pytest.mark.parametrize(
    ("path", "body", "file"),
    [
        ("/download", PDF, "download.pdf"),
        ("/act.aspx", WORD, "act.aspx.docx"),
        ("/act.pdf", WORD, "act.docx"),  # by content, not by the ending
        ("/act.docx", PDF, "act.pdf"),
        ("/act.html", b"\n" + PDF, "act.pdf"),
        ("/a", SHEET, "a.xlsx"),
        ("/b", SLIDES, "b.pptx"),
        ("/c", HTML, "c.html"),
        ("/act.htm", HTML, "act.htm"),
        ("/d", TEXT, "d.txt"),
        ("/act.txt", TEXT, "act.txt"),
        ("/e", "धारा 1".encode("utf-16"), "e.txt"),
    ],
)
def test_a_document_of_any_form_gets_the_ending_of_its_content(
    server: Server, tmp_path: Path, path: str, body: bytes, file: str
) -> None:
    server.documents[path] = body
    url = server.url(path)
    listed = [ListedDocument(url, name_of(url))]
    for status in ("added", "unchanged"):
        (done,) = refresh(listed, tmp_path, CONFIG, None, "now")
        assert (done.status, done.reason) == (status, "") and names(tmp_path) == [STATE, file]
    (source,) = listed_sources(listed, tmp_path)
    assert (source.relative, source.document_id, source.error) == (file, sha(body), "")


def test_a_file_of_another_form_takes_the_place_of_the_one_before(server: Server, tmp_path: Path) -> None:
    url = server.url("/act")
    listed = [ListedDocument(url, name_of(url))]
    for body, status, file in (
        (PDF, "added", "act.pdf"),
        (WORD, "changed", "act.docx"),
        (PDF, "changed", "act.pdf"),
    ):
        server.documents["/act"] = body
        (done,) = refresh(listed, tmp_path, CONFIG, None, "now")
        assert done.status == status and names(tmp_path) == [STATE, file]
    server.documents["/act"] = HTML  # "not found", most likely
    (done,) = refresh(listed, tmp_path, CONFIG, None, "now")
    assert done.status == "refused" and "not a .pdf file as before: it looks like HTML" in done.reason
    assert names(tmp_path) == [STATE, "act.pdf"] and done.document_id == sha(PDF)


@pytest.mark.parametrize("body", [WORD, HTML, TEXT])
def test_a_reply_without_length_must_end_as_its_form_does(
    server: Server, tmp_path: Path, body: bytes
) -> None:
    url = server.url("/act")
    server.answers["/act"] = raw(HEAD + b"\r\n" + body)
    (done,) = refresh([ListedDocument(url, name_of(url))], tmp_path, CONFIG, None, "now")
    assert done.status == ("not_reached" if body == TEXT else "added")


def pages(*texts: str) -> bytes:
    """A PDF with a page each; one without text is an image."""
    pdf = pymupdf.open()
    for text in texts:
        page = pdf.new_page()
        if text:
            page.insert_text((72, 72), text)
        else:
            page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 8, 8), False))
    return bytes(pdf.tobytes())


SCAN, TYPESET = pages("", "", "cover"), pages("1. Short title.", "", "2. Extent.")


def with_fallback(server: Server, folder: Path, fallback: str = "/mirror.pdf") -> FetchedDocument:
    entry = ListedDocument(server.url("/a.pdf"), "a.pdf", fallback_url=fallback and server.url(fallback))
    (done,) = refresh([entry], folder, replace(CONFIG, max_mib=1.0), None, "now")
    return done


def test_a_scan_gives_way_to_the_second_address(server: Server, tmp_path: Path) -> None:
    server.documents |= {"/a.pdf": SCAN, "/mirror.pdf": TYPESET}
    done = with_fallback(server, tmp_path)
    assert (done.status, done.document_id) == ("added", sha(TYPESET))
    assert done.line.endswith(f"the first address sends a scan; taken from {server.url('/mirror.pdf')}")
    server.requests.clear()
    assert with_fallback(server, tmp_path).status == "unchanged"
    assert "if-none-match" in server.requests[0][1]  # the scan is not sent again
    server.answers["/mirror.pdf"] = send(500)
    assert with_fallback(server, tmp_path).status == "not_reached"
    assert (tmp_path / "a.pdf").read_bytes() == TYPESET
    server.documents["/a.pdf"] = PDF  # no longer a scan
    assert with_fallback(server, tmp_path).document_id == sha(PDF)


def test_a_list_without_the_second_address_goes_back_to_the_scan(server: Server, tmp_path: Path) -> None:
    server.documents |= {"/a.pdf": SCAN, "/mirror.pdf": TYPESET}
    with_fallback(server, tmp_path)
    assert with_fallback(server, tmp_path, "").document_id == sha(SCAN)


def test_a_scan_stays_where_the_second_address_gives_nothing(server: Server, tmp_path: Path) -> None:
    server.documents["/a.pdf"] = SCAN
    done = with_fallback(server, tmp_path)
    assert (done.status, done.document_id) == ("added", sha(SCAN))
    assert "a scan; the second address" in done.line and "no longer has it" in done.line


def test_what_has_text_needs_no_second_address(server: Server, tmp_path: Path) -> None:
    for body in (TYPESET, PDF, WORD):
        server.documents["/a.pdf"] = body
        server.requests.clear()
        assert with_fallback(server, tmp_path).document_id == sha(body)
        assert [path for path, _ in server.requests] == ["/a.pdf"]


@pytest.mark.parametrize("location", ["http://xn--/a.pdf", "//xn--/x", "http://xn--a-ecp.ru/"])
def test_a_redirect_to_a_host_that_cannot_be_keeps_no_other_document(
    server: Server, tmp_path: Path, location: str
) -> None:
    server.answers["/b.pdf"] = send(302, Location=location)
    failed, added = run(server, tmp_path, "/b.pdf", "/a.pdf")
    assert (failed.status, added.status) == ("not_reached", "added")
    assert failed.reason.startswith("the server could not be reached") and "xn--" not in failed.reason


def test_a_redirect_is_followed(server: Server, tmp_path: Path) -> None:
    server.answers["/old.pdf"] = send(301, Location="/a.pdf")
    assert run(server, tmp_path, "/old.pdf")[0].status == "added"
    assert run(server, tmp_path, "/old.pdf")[0].status == "unchanged"


def test_a_redirect_out_of_https_is_refused_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = web(monkeypatch, {"https://laws.example/a.pdf": "http://laws.example/call-0900-now"})
    (failed,) = refresh(
        [ListedDocument("https://laws.example/a.pdf", "a.pdf")], tmp_path, CONFIG, None, "now"
    )
    assert (failed.status, failed.reason) == ("refused", "a redirect leads from https to http")
    assert requests == ["https://laws.example/a.pdf"]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0", "localhost", "LocalHost.", "a.localhost", "10.1.2.3",
        "192.168.0.1", "169.254.169.254", "100.100.100.200", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]", "[fe80::1%25eth0]",
    ],
)  # fmt: skip
def test_a_redirect_from_the_internet_to_an_internal_address_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    outside, inside = ["http://laws.example/a.pdf", "http://laws.example/b"], f"http://{host}/a.pdf"
    requests = web(monkeypatch, {outside[0]: outside[1], outside[1]: inside})
    (failed,) = refresh([ListedDocument(outside[0], "a.pdf")], tmp_path, CONFIG, None, "now")
    assert failed.reason == "a redirect leads from the internet to an internal address"
    assert failed.status == "refused" and requests == outside


@pytest.mark.parametrize(
    ("listed", "to"),
    [
        ("http://10.0.0.1/a.pdf", "http://192.168.0.1/a.pdf"),
        ("http://localhost/a.pdf", "http://127.0.0.1/a.pdf"),
        ("http://laws.example/a.pdf", "http://8.8.8.8/a.pdf"),
        ("http://laws.example/a.pdf", "http://[::ffff:8.8.8.8]/a.pdf"),
    ],
)
def test_other_redirects_between_hosts_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str, to: str
) -> None:
    requests = web(monkeypatch, {listed: to})
    assert refresh([ListedDocument(listed, "a.pdf")], tmp_path, CONFIG, None, "now")[0].status == "gone"
    assert len(requests) == 2


def test_a_304_that_was_not_asked_for(server: Server, tmp_path: Path) -> None:
    server.answers["/a.pdf"] = send(304)
    (failed,) = run(server, tmp_path, "/a.pdf")
    assert failed.status == "refused" and "there is no file of it yet" in failed.line


def test_an_etag_that_cannot_be_sent_back_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.answers["/a.pdf"] = send(200, PDF, ETag='"\x80é"')
    assert run(server, tmp_path, "/a.pdf")[0].status == "added"
    assert run(server, tmp_path, "/a.pdf")[0].status == "unchanged"
    assert state(tmp_path)["a.pdf"]["etag"] == ""


def test_a_digest_that_the_list_names(server: Server, tmp_path: Path) -> None:
    def ask(digest: str) -> FetchedDocument:
        listed = [ListedDocument(server.url("/a.pdf"), "a.pdf", digest)]
        return refresh(listed, tmp_path, CONFIG, None, "now")[0]

    assert ask(sha(PDF)).status == "added"
    wrong = ask(sha(NEWER))
    assert wrong.status == "refused" and sha(NEWER) in wrong.reason
    assert (wrong.document_id, wrong.before) == ("", sha(PDF)) and wrong.line.endswith("is not used")
    server.answers["/a.pdf"] = send(404)
    assert ask(sha(NEWER)).line.endswith("is not used") and ask(sha(PDF)).line.endswith("stays in use")
    del server.answers["/a.pdf"]
    server.documents["/a.pdf"] = NEWER
    assert ask(sha(PDF)).status == "refused" and (tmp_path / "a.pdf").read_bytes() == PDF
    assert ask(sha(NEWER)).status == "changed"


def test_a_file_that_is_not_the_one_that_the_list_names_is_not_indexed(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(PDF)
    (tmp_path / "b.pdf").write_bytes(PDF)
    listed = [
        ListedDocument("https://laws.example/a.pdf", "a.pdf", sha(PDF)),
        ListedDocument("https://laws.example/b.pdf", "b.pdf", sha(NEWER)),
    ]
    right, wrong = listed_sources(listed, tmp_path)
    assert (right.document_id, right.error) == (sha(PDF), "")
    assert (wrong.document_id, wrong.error) == ("", f"its SHA-256 is {sha(PDF)}, the list names {sha(NEWER)}")
    with pytest.raises(CorpusError, match="none of the 1 documents can be used; its SHA-256 is"):
        listed_sources(listed[1:], tmp_path)


def test_leftovers_of_a_killed_run_are_cleared_and_what_is_not_listed_stays(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".part-1-abc").write_bytes(b"%PDF-")
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", lambda part, to: to)
        killed.setattr(Path, "unlink", lambda part, missing_ok: None)
        write_atomically(tmp_path / STATE, "{}")
    assert len(names(tmp_path)) == 2
    (tmp_path / "..sources.json.old").write_text("someone's own")
    (tmp_path / "other.pdf").write_bytes(PDF)
    run(server, tmp_path, "/a.pdf")
    assert names(tmp_path) == ["..sources.json.old", STATE, "a.pdf", "other.pdf"]
    listed = [ListedDocument(server.url("/a.pdf"), "a.pdf")]
    assert [s.relative for s in listed_sources(listed, tmp_path)] == ["a.pdf"]


def test_a_corpus_of_which_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="none of the 1 documents can be used; not fetched: run citegrain"):
        listed_sources([ListedDocument("http://127.0.0.1/a.pdf", "a.pdf")], tmp_path)


@pytest.mark.parametrize(
    ("kind", "value", "header"),
    [("bearer", "s3cret", "Bearer s3cret"), ("basic", "me:s3cret", "Basic bWU6czNjcmV0")],
)
def test_the_secret_is_sent_to_its_host_only_and_never_shown(
    server: Server, tmp_path: Path, kind: str, value: str, header: str
) -> None:
    secret = Secret(kind, f"127.0.0.1:{server.server_address[1]}", value)
    assert "s3cret" not in repr(secret)
    with serving() as other:
        other.answers["/b.pdf"] = send(403, header.encode(), ETag=header)
        server.answers["/b.pdf"] = send(302, Location=other.url("/b.pdf"))
        done = run(server, tmp_path, "/a.pdf", "/b.pdf", secret=secret)
        done += run(other, tmp_path, "/b.pdf", secret=secret)
        assert [headers["authorization"] for _, headers in server.requests] == [header] * 2
        assert all("authorization" not in headers for _, headers in other.requests)
    shown = repr(done) + "".join(d.line for d in done) + (tmp_path / STATE).read_text()
    assert "s3cret" not in shown and header not in shown


def test_no_secret_goes_out_in_the_clear(tmp_path: Path) -> None:
    for url, secret in [
        ("http://laws.example/a.pdf", Secret("bearer", "laws.example", "s3cret")),
        ("http://me:s3cret@laws.example/a.pdf", None),
    ]:
        (failed,) = refresh([ListedDocument(url, "a.pdf")], tmp_path, CONFIG, secret, "now")
        assert failed.status == "refused" and failed.reason == "a secret is sent over https only"
        assert "s3cret" not in failed.line + repr(failed) + (tmp_path / STATE).read_text()


def test_a_url_with_a_password_is_used_and_shown_masked(server: Server, tmp_path: Path) -> None:
    url = server.url("/a.pdf").replace("//", "//me:s3cret@") + "?token=t0ken&page=2"
    listed = ListedDocument(url, "a.pdf")
    (done,) = refresh([listed], tmp_path, CONFIG, None, "now")
    assert done.status == "added" and done.url.endswith("/a.pdf?token=***&page=2")
    assert server.requests[0][0] == "/a.pdf?token=t0ken&page=2"
    assert server.requests[0][1]["authorization"] == "Basic bWU6czNjcmV0"
    shown = repr(listed) + repr(done) + listed.shown + (tmp_path / STATE).read_text()
    assert "s3cret" not in shown and "t0ken" not in shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://laws.example/acts/ipc.pdf?x=1", "ipc.pdf"),
        ("https://laws.example/..%2F..%2Fetc%2Fpasswd", "etc_passwd.pdf"),
        ("https://laws.example/a/%2e%2e", "document-"),
        ("https://laws.example/", "document-"),
        ("https://laws.example/.pdf", "document-"),
        ("https://laws.example/.hidden.PDF", "hidden.PDF"),
        ("https://laws.example/a%00b%0Ac.pdf", "a_b_c.pdf"),
        ("https://laws.example/C:%5Cwindows%5Cx.pdf", "C__windows_x.pdf"),
        ("https://laws.example/The%20Act%20(2023).pdf", "The Act (2023).pdf"),
        ("https://laws.example/" + "a" * 400 + ".pdf", "a" * 150 + ".pdf"),
        ("https://laws.example/%E0%A4%A8%E0%A4%BF%E0%A4%AF%E0%A4%AE.pdf", "नियम.pdf"),
        ("https://laws.example/%ff%fe.pdf", "document-"),
        ("https://laws.example/Act.docx", "Act.docx"),
        ("https://laws.example/act.HTM?lang=en", "act.HTM"),
        ("https://laws.example/act.aspx", "act.aspx.pdf"),
    ],
)
def test_names_of_urls_are_safe(tmp_path: Path, url: str, name: str) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(json.dumps([url]))
    (listed,) = read_list(path)
    assert listed.name.startswith(name) and Path(listed.name).suffix.lower() in FORMS
    assert (tmp_path / listed.name).resolve().parent == tmp_path.resolve()


def test_lists_are_yaml_or_jsonl(tmp_path: Path) -> None:
    digest = "A" * 64
    (tmp_path / "list.yaml").write_text(
        f"- https://laws.example/a.pdf\n- {{url: 'http://laws.example/x', name: b.pdf, sha256: {digest}}}\n"
    )
    (tmp_path / "list.jsonl").write_text(
        '"https://laws.example/a.pdf"\n\n'
        f'{{"url": "http://laws.example/x", "name": "b.pdf", "sha256": "{digest}"}}\n'
    )
    wanted = [
        ListedDocument("https://laws.example/a.pdf", "a.pdf"),
        ListedDocument("http://laws.example/x", "b.pdf", "a" * 64),
    ]
    assert read_list(tmp_path / "list.yaml") == wanted == read_list(tmp_path / "list.jsonl")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be a list of URLs"),
        ("{url: 'https://laws.example/s3cret'}", "must be a list of URLs"),
        ("- 7", "entry 1: must be a URL, or a mapping"),
        ("- {name: a.pdf}", "entry 1: must be a URL, or a mapping"),
        ("- {url: 'https://h/a', colour: red}", "unknown field colour"),
        ("- file:///etc/passwd", "http:// or https://"),
        ("- ftp://me:s3cret@h/a.pdf", r"ftp://\*\*\*@h/a.pdf: must be a URL that begins with http"),
        ("- 'https://'", "http:// or https://"),
        ("- https://h:99999/a.pdf", "http:// or https://"),
        ("- 'https://[h/a.pdf'", "no URL"),
        ("- 'https://h/a b.pdf'", "http:// or https://"),
        ("- https://me:s3cret@☃.invalid/a.pdf", r"entry 1: https://\*\*\*@☃.invalid/a.pdf: .* its host is"),
        ("- https://999.999.999.999/a.pdf", "neither a name nor an address"),
        ("- https://xn--/a.pdf", "neither a name nor an address"),
        (f"- https://h/{'a' * 70_000}", r"/a{1,200}\.\.\.: too long"),
        ("- {url: 'https://h/a', sha256: abc}", "64 hexadecimal"),
        ("- {url: 'https://h/a', name: ../a.pdf}", "name '../a.pdf'"),
        ("- {url: 'https://h/a', name: a.exe}", "end in one of .pdf, .docx"),
        ("- {url: 'https://h/a', name: .pdf}", "name '.pdf'"),
        ("- https://h/a.pdf\n- https://h/a.pdf", "entries 1 and 2 have the same URL"),
        ("- https://h/a.pdf\n- https://i/A.PDF", "the same file name A.PDF: give one of them a name"),
        ("- https://h/a.pdf\n- https://i/a.html", "the same file name a.html: give one of them a name"),
        (f"- {{url: 'https://h/a', sha256: {'a' * 64}, fallback_url: 'https://i/a'}}", "exclude each other"),
        ("- {url: 'https://h/a', fallback_url: 'file:///etc'}", "http:// or https://"),
        ("- https://h/?token=s3cret: [", "not YAML, line"),
        ("[" * 50_000, "not YAML"),
    ],
)
def test_a_list_that_is_wrong_says_where_and_shows_no_secret(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(text)
    with pytest.raises(CorpusError, match=words) as error:
        read_list(path)
    assert "s3cret" not in str(error.value) and "\n" not in str(error.value)


def test_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read: No such file"):
        read_list(tmp_path / "none.yaml")
    (tmp_path / "bad.jsonl").write_text('"https://h/a.pdf"\n{s3cret\n')
    with pytest.raises(CorpusError, match="line 2 is not JSON"):
        read_list(tmp_path / "bad.jsonl")
    (tmp_path / "latin.yaml").write_bytes(b"\xff\xfe\xe9")
    with pytest.raises(CorpusError, match="not UTF-8"):
        read_list(tmp_path / "latin.yaml")


def test_a_document_that_is_long_in_coming_is_named_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshing, "_PATIENCE", 0.2)
    server.answers["/late.pdf"] = raw(b"", pause=0.8)  # and then nothing
    listed = [ListedDocument(server.url(path), path[1:]) for path in ("/a.pdf", "/late.pdf")]
    lines: list[str] = []
    refresh(listed, tmp_path, CONFIG, None, "2026-11-22T00:00:00+00:00", say=lines.append)
    assert lines == [f"late.pdf: still waiting for {listed[1].url} (attempts: 2, of up to 2 s each)"]
