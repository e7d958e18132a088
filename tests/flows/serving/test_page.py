"""The page: it is of one host, needs no markup, has the words of both languages, and does what it says."""

from __future__ import annotations

import base64
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from citegrain import Build
from citegrain.flows.serving import page as page_module
from citegrain.flows.serving.jobs import Uploads
from citegrain.flows.serving.page import Feedback, FeedbackError
from citegrain.flows.serving.service import addressed
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.evaluation.benchmark import load_benchmark
from citegrain.tasks.online.answer import Answer, UploadedPassage, percent
from tests.flows.conftest import copy_artifacts
from tests.flows.serving.test_api import SECTION, app_of, over_http, problem

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
CHROMIUM = Path("/usr/bin/chromium")
STATIC = Path(page_module.__file__).with_name("static")
MODULES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
WORDS = {name: json.loads((STATIC / f"{name}.json").read_text(encoding="utf-8")) for name in ("en", "hi")}
WAGES = "My wages were not paid for three months"


@pytest.fixture(scope="module")
def artifacts(once_indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page") / "artifacts"
    copy_artifacts(once_indexed, folder)
    return folder


def test_only_its_own_files_are_served_with_a_policy_that_forbids_all_others(artifacts: Path) -> None:
    with TestClient(app_of(artifacts)[1], raise_server_exceptions=False) as client:
        replies = [client.get("/"), *(client.get(f"/page/{path.name}") for path in STATIC.iterdir())]
        for reply in replies:
            policy = reply.headers["content-security-policy"]
            assert reply.status_code == 200 and "default-src 'none'" in policy
            assert "unsafe" not in policy and "http" not in policy and "*" not in policy
            assert reply.headers["x-content-type-options"] == "nosniff"
        assert replies[0].text.startswith("<!doctype html>")
        for place in ("../page.py", "%2e%2e/page.py", "none.js", "", "..%2f..%2fapi.py"):
            problem(client.get(f"/page/{place}"), 404)
        assert set(client.get("/page/settings.json").json()) == {"build", "today", "feedback"}
        assert not [path for path in client.get("/openapi.json").json()["paths"] if path.startswith("/page")]


def test_no_module_reads_markup_or_names_another_host() -> None:
    for name, text in MODULES.items():
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "DOMParser",
            "://",
        ):
            assert word not in text, f"{name}: {word}"
    document = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]+src=)|style=|\son\w+=|://", document)
    assert "://" not in (STATIC / "style.css").read_text(encoding="utf-8")


def test_both_languages_have_every_sentence_with_the_same_gaps() -> None:
    english, hindi = WORDS["en"], WORDS["hi"]
    assert set(english) == set(hi := hindi)
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", hi[key])), key
        assert re.search("[\u0900-\u097f]", hi[key]) or not re.search(
            "[a-z]{2}", re.sub(r"\{\w+\}", "", text)
        ), key
    reasons = re.findall(r"\w+_\w+|unlikely|despair", str(Answer.model_fields["reason"].description))
    assert len(reasons) == 9 and all(f"declined.{reason}" in hindi for reason in reasons)
    used = {key for text in MODULES.values() for key in re.findall(r"\bt\(\"([a-z][\w.-]+)\"", text)}
    assert used and all(key in english or f"{key}.other" in english for key in used)
    stems = {re.sub(r"\.(one|other)$", "", key) for key in english}
    everything = "".join(MODULES.values())
    dynamic = tuple(re.findall(r"`([\w.]+\.)\$\{", everything))
    assert [key for key in stems if f'"{key}"' not in everything and not key.startswith(dynamic)] == []


def test_examples_are_in_the_language_of_the_page() -> None:
    listed = (
        (STATIC / "ask.js").read_text(encoding="utf-8").partition("const EXAMPLES")[2].partition("];\n")[0]
    )
    examples = re.findall(r'\["[\w-]+", "([^"]+)",\s+"([^"]+)"\]', listed)
    assert len(examples) == listed.count("\n  [") == 6
    assert all(english.isascii() and not re.search(r"[A-Za-z]", hindi) for english, hindi in examples)


def test_judgements_become_lines_of_a_benchmark_that_is_read_again(artifacts: Path, tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text('{"id": "cut')  # a line that a crash has cut
    app = app_of(artifacts, feedback=Feedback(file))[1]
    build = Build.open(artifacts / "builds" / "mine")
    (charge, *_) = build.ask(WAGES).charges
    label = {"act": charge.act, "section": charge.section}
    question = "Call 98765 43210: my wages were not paid"
    with TestClient(app, raise_server_exceptions=False) as client:

        def judge(applicable: list[Any], text: str = question) -> Any:
            return client.post("/v1/feedback", json={"question": text, "applicable": applicable})

        assert client.get("/page/settings.json").json()["feedback"] is True
        assert judge([label, label]).status_code == judge([]).status_code == 201
        for wrong in ({"act": "x", "section": "3"}, {"act": charge.act, "section": "999"}):
            assert "not in this build" in problem(judge([wrong]), 422)["detail"]
        for body in ([label] * 21, [{"act": charge.act}]):
            problem(judge(body), 422)
        for text in (" \n", "\x1c", "a\0b", ""):
            problem(judge([label], text), 422)
    cut, *lines = file.read_text(encoding="utf-8").splitlines()
    assert cut == '{"id": "cut' and len(lines) == 2
    clean = tmp_path / "clean.jsonl"
    clean.write_text("\n".join(lines), encoding="utf-8")
    judged, nothing = load_benchmark(clean, "judged", "test").records
    assert judged.text == Masks().mask(question) != question and nothing.applicable == ()
    assert [c.label for c in judged.applicable] == [f"{charge.act}/{charge.section}"]


def test_judgements_are_refused_unless_a_file_is_named_and_where_it_is_full(
    artifacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"question": WAGES, "applicable": []}
    with TestClient(app_of(artifacts)[1], raise_server_exceptions=False) as client:
        assert "--feedback" in problem(client.post("/v1/feedback", json=body), 409)["detail"]
    monkeypatch.setattr("citegrain.flows.serving.page._MOST_BYTES", 10)
    app = app_of(artifacts, feedback=Feedback(tmp_path / "full.jsonl"))[1]
    with TestClient(app, raise_server_exceptions=False) as client:
        assert "full" in problem(client.post("/v1/feedback", json=body), 409)["detail"]
    assert (tmp_path / "full.jsonl").read_bytes() == b""
    with pytest.raises(FeedbackError, match="cannot be written"):
        Feedback(tmp_path)


def test_a_file_is_read_in_a_process_of_its_own_and_forgotten(artifacts: Path, lantern_pdf: bytes) -> None:
    build = Build.open(artifacts / "builds" / "mine")
    with TestClient(app_of(artifacts)[1], raise_server_exceptions=False) as client:

        def send(content: bytes, file: str = "lantern.pdf") -> Any:
            body = {"question": WAGES, "file": file, "content": base64.b64encode(content).decode()}
            return client.post("/v1/ask/file", json=body)

        answer = send(lantern_pdf).json()
        (first, *_) = answer["uploads"]
        assert first["file"] == "lantern.pdf" and first["page"] >= 1 and first["text"]
        assert answer | {"uploads": []} == addressed(build.ask(WAGES)).to_dict()
        for content, words in ((b"no PDF", "not a PDF"), (b"", "content is empty: send a file")):
            detail = problem(send(content), 422)["detail"]
            assert words in detail and tempfile.gettempdir() not in detail
        for name in ("../lantern.pdf", "lantern.exe", ".pdf"):
            problem(send(lantern_pdf, name), 422)
    assert not list(Path(tempfile.gettempdir()).glob("*/lantern.pdf"))


@pytest.fixture(scope="module")
def address(artifacts: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("feedback") / "judged.jsonl"
    app = app_of(artifacts, feedback=Feedback(file))[1]
    app.state.judged = file
    with over_http(app) as (host, port):
        yield f"http://{host}:{port}/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make setup-dev")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens the page in a fresh session; what the browser complains of fails the test."""
    contexts, complaints = [], []

    def open_page(
        where: str = "", width: int = 1440, scheme: str = "light", language: str = "en-GB", script: str = ""
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            locale=language,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None
        )
        page.goto(address + where)
        page.wait_for_selector("main h1")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def ask(page: Any, question: str, *, key: str = "Enter") -> Any:
    page.fill("#question", question)
    with page.expect_response("**/v1/ask") as reply:
        page.press("#question", key)
    page.wait_for_selector("article.answer")
    return reply.value.json()


def shown(page: Any) -> list[tuple[str, str]]:
    """Provision and probability of each row of the answer."""
    rows = page.locator("li.charge").all()
    return [
        (r.get_attribute("data-provision"), "".join(r.locator(".figure").all_inner_texts())) for r in rows
    ]


def test_it_shows_what_the_service_answers_and_the_marked_page(
    visit: Callable[..., Any], artifacts: Path
) -> None:
    build, page = Build.open(artifacts / "builds" / "mine"), visit()
    seconds = []
    for question in (WAGES, "What is a lantern, and what is a keeper?", "how do I bake bread"):
        started = time.monotonic()
        ask(page, question)
        seconds.append(time.monotonic() - started)
        answer = build.ask(question)
        every = [*answer.charges, *answer.others]
        assert [one for one, _ in shown(page)] == [charge.provision_id for charge in every]
        for (_, figure), charge in zip(shown(page), every, strict=True):
            assert figure == ("" if charge.probability is None else percent(charge.probability))
        if answer.charges:
            image = page.wait_for_selector("figure.page img")
            assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 600
        else:
            assert page.inner_text(".lead") == answer.message
    assert min(seconds) < 3  # 1 on a machine that has nothing else to do


SPOKEN = """
globalThis.SpeechRecognition = undefined;
globalThis.webkitSpeechRecognition = class extends EventTarget {
  start() {
    const heard = (text) => this.dispatchEvent(Object.assign(new Event("result"), { results: [[{ transcript: text }]] }));
    setTimeout(() => { heard("wages"); heard(`wages unpaid ${this.lang}`); });
  }
  stop() { this.dispatchEvent(new Event("end")); }
};
"""


@pytest.mark.parametrize("language", ["en-GB", "hi-IN"])
def test_what_is_said_is_written_down(visit: Callable[..., Any], language: str) -> None:
    page = visit(language=language, script=SPOKEN)
    page.fill("#question", "Three months,")
    page.click(".ask > .buttons button[aria-pressed]")
    page.wait_for_selector("button[aria-pressed=true]")
    page.wait_for_selector(".status span")
    page.click("button[aria-pressed=true]")
    assert page.input_value("#question") == f"Three months, wages unpaid {language[:2]}-IN"
    without = "globalThis.SpeechRecognition = globalThis.webkitSpeechRecognition = undefined"
    assert visit(script=without).locator(".ask > .buttons button[aria-pressed]").count() == 0


def test_of_a_long_question_only_the_words_that_were_read_otherwise_are_shown(
    visit: Callable[..., Any], artifacts: Path
) -> None:
    page, answer = visit(), Build.open(artifacts / "builds" / "mine").ask(WAGES).to_dict()
    page.route("**/v1/ask", lambda route: route.fulfill(json=answer))
    answer["urgent"] = "112 पर फ़ोन करें"
    answer["remarks"] = [
        "The text is of 2019-04-08: what was law on 2016-01-15, or on 2016-13-15, may differ."
    ]
    for read, said in (
        ("My wage was not paid for three months", "wages → wage, were → was"),
        ("employer salary not give", "employer salary not give"),
    ):
        answer["words"]["read_as"] = read
        ask(page, WAGES)
        page.wait_for_selector(f"article.answer p:has-text('Read as: {said}')")
        assert page.get_attribute(".urgent span", "lang") == "hi"
    assert page.get_attribute(".urgent a", "href") == "tel:112" and page.inner_text(".urgent a") == "112"
    assert "of 8 April 2019: what was law on 15 January 2016, or on 2016-13-15, may" in page.inner_text(
        ".answer"
    )
    assert "build" not in page.inner_text(".answer .facts >> nth=0"), "there is but one"
    assert "jurisdiction\nIndia" in page.inner_text(".answer dl >> nth=0")


def test_text_of_a_question_is_never_markup(visit: Callable[..., Any]) -> None:
    page = visit()
    ask(page, "<img src=x onerror=document.title='hit'> </p><script>document.title='hit'</script> wages")
    page.click("details.history summary")
    assert "<img src=x" in page.inner_text("details.history") and page.title() != "hit"
    assert page.locator("main img[src=x], main script").count() == 0


def test_everything_is_reached_by_the_keyboard(visit: Callable[..., Any]) -> None:
    page = visit()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.className || document.activeElement.id || document.activeElement.tagName"
            )
        )
    assert reached[0] == "skip" and "question" in reached and "primary" in reached
    page.focus("#question")
    page.keyboard.type("My wages were")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("not paid")
    page.keyboard.press("Enter")
    page.wait_for_selector("article.answer")
    assert page.input_value("#question") == "My wages were\nnot paid"
    assert page.evaluate("document.activeElement.tagName") == "H2", "the answer has the focus"
    page.focus("article.answer summary >> nth=0")
    page.keyboard.press("Enter")
    assert page.wait_for_selector(".law-text p").inner_text()
    row = page.locator("li.charge button.row").first
    row.focus()
    for hidden in (True, False):
        page.keyboard.press("Space")
        assert page.locator("li.charge .panel").first.is_hidden() is hidden


def test_the_day_of_the_slider_is_that_of_the_law(visit: Callable[..., Any], address: str) -> None:
    page, rows = visit("#compare"), json.loads(httpx.get(f"{address}v1/acts", trust_env=False).text)
    dated = [
        rows[0] | {"in_force_from": "2011-03-01", "in_force_to": "2019-12-31"},
        rows[1] | {"in_force_from": "2020-01-01"},
    ]
    page.route("**/v1/acts*", lambda route: route.fulfill(json=dated))
    page.goto(address)
    ask(page, WAGES)
    slider = page.locator("input[type=range]")
    assert slider.get_attribute("max") == "2", "2011, 2020 and today"
    with page.expect_request("**/v1/ask") as request:
        slider.press("Home")
    assert (
        json.loads(request.value.post_data)["as_of"]
        == page.input_value(".day input[type=date]")
        == "2011-03-01"
    )
    page.wait_for_selector(".facts:has-text('1 March 2011')")
    assert slider.get_attribute("aria-valuetext") == "1 March 2011" and rows[0]["title"] in page.inner_text(
        ".day-note"
    )
    assert page.evaluate("document.activeElement.type") == "range", "the focus stays on the slider"
    with page.expect_request("**/v1/ask") as request:
        page.click(".day button:has-text('today')")
    assert json.loads(request.value.post_data)["as_of"] == ""
    with page.expect_request("**/v1/ask") as request:
        page.click(".day button[aria-pressed=false]")
    assert json.loads(request.value.post_data)["as_of"] == "auto"
    page.click(".day button[aria-pressed=true]")


def test_a_judgement_a_reload_and_the_forgetting_of_all(visit: Callable[..., Any]) -> None:
    page = visit()
    answer = ask(page, WAGES)
    page.click(".thumbs button[data-value=yes]")
    with page.expect_response("**/v1/feedback") as reply:
        page.click(".judging .buttons button")
    assert reply.value.status == 201
    page.wait_for_selector(".judging > [role=status]:focus")  # not lost with the button
    assert json.loads(reply.value.request.post_data)["applicable"] == [
        {"act": answer["charges"][0]["act"], "section": answer["charges"][0]["section"]}
    ]
    page.reload()
    assert page.wait_for_selector("article.answer") and page.input_value("#question") == WAGES
    page.click("details.history summary")
    page.click("details.history .disclosed > button")
    page.reload()
    page.wait_for_selector("#question")
    assert page.input_value("#question") == "" and page.locator("article.answer").count() == 0


def test_a_file_is_asked_beside_the_build(
    visit: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def passages(uploads: Any, build: Build, request: Any) -> list[Any]:
        return [UploadedPassage(file=request.file, page=2, text=request.content.decode())]

    monkeypatch.setattr(Uploads, "passages", passages)
    page = visit()
    page.set_input_files(
        "input[type=file]",
        {"name": "my lease.txt", "mimeType": "text/plain", "buffer": "किराया rent".encode()},
    )
    page.fill("#question", WAGES)
    page.press("#question", "Enter")
    assert page.wait_for_selector(".passages blockquote").inner_text() == "किराया rent"
    assert (
        page.get_attribute(".passages a", "href").startswith("blob:")
        and page.inner_text(".passages a") == "my lease.txt, page 2"
    )


def test_reading_checking_and_comparing(visit: Callable[..., Any]) -> None:
    page = visit("#law")
    page.fill("form.ask input[type=text]", "section 3 of the Lantern Keepers (Welfare) Act")
    page.press("form.ask input[type=text]", "Enter")
    assert page.wait_for_selector("article.reading .law-text p")
    page.click("summary:has-text('What cites it')")
    page.wait_for_selector(".edges a")
    page.click("summary:has-text('What changed')")
    assert page.wait_for_selector("text=There is no build before this one.")
    page.fill("form.ask input[type=text]", "section 3A of the Moon Act")
    page.press("form.ask input[type=text]", "Enter")
    page.wait_for_selector(".trouble:has-text('may be law all the same')")
    assert page.locator(".trouble button, .trouble .hint").count() == 0, "another try would not help"
    page.click("nav a[href='#check']")
    page.fill("textarea", "Section 99 of the Lantern Keepers (Welfare) Act, 2011, and section 3 of it.")
    page.click("button.primary")
    assert page.wait_for_selector(".verdicts .wrong") and page.inner_text("mark.wrong") == "99"
    page.click("nav a[href='#compare']")
    page.wait_for_selector("form .sides")  # the view before has a textarea, too
    page.fill("textarea", WAGES)
    page.click("button.primary")
    page.wait_for_selector(".side")
    first, second = (
        set(side.locator("li").evaluate_all("rows => rows.map(r => r.dataset.provision)"))
        for side in page.locator(".side").all()
    )
    assert first and first <= second


def test_the_sections_of_a_document_are_listed_and_lead_to_their_text(visit: Callable[..., Any]) -> None:
    page = visit("#law")
    page.click("table a:has-text('Lantern Keepers')")
    page.wait_for_selector("h2:has-text('Lantern Keepers')")
    links = page.locator(".choices-of a")
    assert links.first.inner_text().startswith("section 1: ") and links.count() > 3
    page.click(".choices-of a:has-text('section 3: ')")
    assert "section 3" in page.wait_for_selector("article.reading h2").inner_text()


def test_words_of_several_provisions_are_a_choice_and_a_day_that_is_none_is_today(
    visit: Callable[..., Any],
) -> None:
    page = visit("#law?id=nothing/sec_1&day=monday")
    page.wait_for_selector(".trouble:has-text('not in this build')")
    page.fill("form.ask input[type=text]", "section 3A")
    page.press("form.ask input[type=text]", "Enter")
    page.wait_for_selector("h2:focus:has-text('Which one is meant?')")
    links = page.locator(".choices-of a")
    assert links.count() > 1 and all("section 3A" in words for words in links.all_inner_texts())
    chosen = links.first.inner_text()
    links.first.click()
    assert chosen in page.wait_for_selector("article.reading h2").inner_text()


LEFTMOST = """() => {
  const sheet = document.querySelector('.sheet-scroll'), image = sheet.querySelector('img');
  const canvas = Object.assign(document.createElement('canvas'), { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let left = canvas.width;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] - data[at + 2] > 60) left = Math.min(left, (at / 4) % canvas.width);
  return left * image.clientWidth / canvas.width - sheet.scrollLeft;
}"""


def test_a_larger_page_begins_at_the_mark_and_a_change_has_a_name(visit: Callable[..., Any]) -> None:
    page = visit("", 360)
    ask(page, WAGES)
    page.click(".paper-open")
    for _ in range(100):  # `wait_for_function` evaluates in the page, which the page's policy forbids
        if page.evaluate("document.querySelector('.sheet-scroll').scrollLeft > 20"):
            break
        page.wait_for_timeout(50)
    left = page.evaluate(LEFTMOST)  # of the window, where a line that is marked begins
    assert 0 <= left <= 40, "no line of the mark is cut at its beginning"
    page.keyboard.press("Escape")
    change = {"act": SECTION.partition("/")[0], "kind": "substituted", "old_id": SECTION, "new_id": SECTION,
              "provision": "section 3", "heading": "Wages", "old_words": ["a"], "new_words": ["b"], "evidence": ""}  # fmt: skip
    reply = {"old": "a", "new": "b", "rolled_back": "", "total": 1, "changes": [change]}
    page.route("**/v1/changes*", lambda route: route.fulfill(json=reply))
    page.click("nav a[href='#law']")
    page.click("summary:has-text('since the build before')")
    page.click("button:has-text('Compare the builds')")
    heading = page.wait_for_selector("h3:has-text('section 3') a").inner_text()
    assert heading == "The Lantern Keepers (Welfare) Act, 2011, section 3"


def test_a_service_that_fails_is_said_in_plain_words_and_may_be_tried_again(
    visit: Callable[..., Any],
) -> None:
    page = visit()
    page.route("**/v1/ask", lambda route: route.abort())
    page.fill("#question", WAGES)
    page.press("#question", "Enter")
    assert "does not answer" in page.inner_text("[role=alert]")
    page.unroute("**/v1/ask")
    page.click("[role=alert] button")
    page.wait_for_selector("article.answer")
    busy = {"status": 503, "headers": {"retry-after": "1"}, "json": {"status": 503}}
    page.route("**/v1/ask", lambda route: route.fulfill(**busy), times=1)
    ask(page, WAGES + " now")
    page.wait_for_selector("article.answer")


@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1440, "light", "en-GB"), (360, "dark", "en-GB"), (360, "light", "hi-IN"), (1920, "dark", "hi-IN")],
)
def test_nothing_hinders_who_sees_hears_or_moves_otherwise(
    visit: Callable[..., Any], width: int, scheme: str, language: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed: make setup-dev"
    )
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    page = visit("", width, scheme, language)
    assert page.get_attribute("html", "lang") == language[:2]

    def look() -> None:
        violations = axe.Axe().run(page, options=rules).response["violations"]
        assert [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in violations] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"

    ask(page, WAGES)
    page.wait_for_selector("figure.page img")
    for summary in page.locator("article.answer summary").all():
        summary.click()
    page.wait_for_selector(".edges")
    look()
    page.evaluate("document.querySelector('.result').setAttribute('aria-busy', 'true')")
    look()  # while the next answer is waited for
    if (width, scheme) == (1440, "light"):
        for view in ("law", "check", "compare"):
            page.goto(page.url.partition("#")[0] + f"#{view}{f'?id={SECTION}' if view == 'law' else ''}")
            page.wait_for_selector("article.reading img" if view == "law" else "main textarea")
            for summary in page.locator("article.reading summary").all()[1:]:
                summary.click()
            look()
    if language == "hi-IN":
        page.select_option("header select >> nth=-1", "en")
        page.wait_for_selector("html[lang=en]")
