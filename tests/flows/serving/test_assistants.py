"""The tools of assistants, called by the client of the official SDK, as an assistant would."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from citegrain import Build
from citegrain.flows.serving.assistants import UNKNOWN, assistants_server
from citegrain.flows.serving.service import OpenBuilds, Service
from tests.flows.shared.test_library import QUESTIONS

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
SECTION = "lantern-keepers-welfare-act-2011/sec_3"
TOOLS = {
    "find_provisions",
    "get_provision",
    "list_provisions",
    "verify_citations",
    "what_changed",
    "coverage",
}
Call = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


def as_assistant(artifacts: Path, work: Callable[[Client, Call], Coroutine[Any, Any, None]]) -> None:
    """Let an assistant work with the tools over some builds."""

    async def run() -> None:
        service = Service(OpenBuilds(artifacts / "builds", artifacts / "models"))
        async with Client(assistants_server(service)) as client:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(tool, arguments)
                if result.is_error:
                    return {"error": result.content[0].text}  # type: ignore[union-attr]
                content: dict[str, Any] = result.structured_content
                return content

            await work(client, call)

    asyncio.run(run())


def test_each_tool_and_each_parameter_is_described(indexed: Path) -> None:
    async def work(client: Client, call: Call) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description and tool.annotations and tool.annotations.read_only_hint
            assert all(p.get("description") for p in tool.input_schema["properties"].values()), tool.name
            assert tool.output_schema and "caveat" in tool.output_schema["properties"]
        assert "Unknown is not false" in (client.instructions or "")

    as_assistant(indexed, work)


def test_provisions_probabilities_and_pages_are_those_of_the_library(indexed: Path) -> None:
    build = Build.open(indexed / "builds" / "mine")

    async def work(client: Client, call: Call) -> None:
        for text in QUESTIONS:
            result, answer = await call("find_provisions", question=text, k=3), build.ask(text, 3)
            assert [(s["provision_id"], s["probability"], s["page"]) for s in result["provisions"]] == [
                (c.provision_id, c.probability, c.page) for c in answer.charges
            ]
            assert (result["decision"], result["message"]) == (answer.decision, answer.message)
            assert result["caveat"] == UNKNOWN
            assert (result["urgent"], result["read_as"]) == (answer.urgent, answer.words.read_as)
            for source in result["provisions"]:
                shown = await call("get_provision", provision=source["provision_id"])
                one = build.provision(source["provision_id"]).model_dump()
                assert shown["provision"] | {"url": one["url"]} == one
                for url in (source["url"], shown["provision"]["url"]):
                    (page,) = (await client.read_resource(url)).contents
                    assert page.mime_type == "image/png" and page.blob.startswith("iVBOR"), url  # type: ignore[union-attr]
                assert shown["provision"]["eli"] == source["eli"]
                assert await call("get_provision", provision=source["eli"]) == shown

    as_assistant(indexed, work)


def test_an_invented_section_is_found_out(indexed: Path) -> None:
    async def work(client: Client, call: Call) -> None:
        title = "the Lantern Keepers (Welfare) Act, 2011"
        draft = f"Wages are due by section 3 of {title}. Section 412 of {title} adds a fine. See section 302 of the Indian Penal Code, 1860."
        checked = await call("verify_citations", text=draft)
        assert [c["status"] for c in checked["citations"] if c["number"] == "412"] == ["no_such_provision"]
        assert (checked["wrong"], checked["unknown"]) == (1, 1) and checked["caveat"] == UNKNOWN
        missing = await call("get_provision", provision=f"section 412 of {title}")
        assert "2011 is, and has no section 412" in missing["error"]
        beyond = await call("get_provision", provision="the law of zebras")
        assert "may be law all the same" in beyond["error"]
        unknown = await call("get_provision", provision="section 3A of the Moon Act, 2019")
        assert "Moon Act, 2019 is not indexed here; it may be law all the same" in unknown["error"], (
            "no section of an Act that was not asked for"
        )
        moon = (await call("find_provisions", question="wages", acts=["Moon Act"]))["error"]
        assert moon.endswith("Moon Act: no Act of this build; it may be law all the same")
        assert (await call("what_changed", old="../x"))["error"] == (
            "what_changed: old must be the key of a build: digits and letters from a to f"
        )
        assert "must be a day" in (await call("get_provision", provision=SECTION, as_of="soon"))["error"]
        assert "must be a day" in (await call("find_provisions", question="wages", as_of="soon"))["error"]
        assert "must be a day" in (await call("verify_citations", text=draft, as_of="auto"))["error"]
        assert (await call("coverage", act=title))["state"] == "indexed"
        passports = await call("coverage", act="Passports Act")
        assert passports["state"] == "not_indexed" and not passports["indexed"]
        assert "The Passports Act, 1967" in passports["not_indexed"]
        for subject in ("lantern keepers", "welfare of lantern-keepers"):
            assert (await call("coverage", act=subject))["state"] == "indexed"
        for initials in ("UAPA", "uapa act", "the UAPA, 1967"):
            unlawful = await call("coverage", act=initials)
            assert unlawful["not_indexed"] == ["The Unlawful Activities (Prevention) Act, 1967"]
        income = await call("coverage", act="income tax")
        assert income["state"] == "not_indexed" and "The Income-tax Act, 1961" in income["not_indexed"]
        for nothing in ("The Zebra Act", "the Act"):
            assert (await call("coverage", act=nothing))["state"] == "unknown"
        every = await call("coverage")
        assert every["total_indexed"] == 2 == len(every["indexed"]) and every["total_not_indexed"] > 700
        assert "no build before" in (await call("what_changed"))["error"].replace("before this one", "before")

    as_assistant(indexed, work)


def test_the_sections_of_an_act_are_listed(indexed: Path) -> None:
    build = Build.open(indexed / "builds" / "mine")

    async def work(client: Client, call: Call) -> None:
        for act in build.acts:
            rows = build.contents(act["act_id"])
            shown = (await call("list_provisions", act=act["title"]))["contents"]
            assert shown["total"] == len(rows) == len(shown["provisions"]) and shown["act"] == act["act_id"]
            rest = (await call("list_provisions", act=act["act_id"], start=2))["contents"]
            assert rest["provisions"] == shown["provisions"][2:]
        assert "no Act of this build" in (await call("list_provisions", act="Moon Act"))["error"]

    as_assistant(indexed, work)


def test_an_argument_that_a_tool_has_not_is_refused(indexed: Path) -> None:
    """A mistyped day must not give the law of today."""

    async def work(client: Client, call: Call) -> None:
        given = {
            "find_provisions": {"question": "wages"},
            "get_provision": {"provision": SECTION},
            "list_provisions": {"act": "x"},
            "verify_citations": {"text": "section 3"},
            "what_changed": {},
            "coverage": {},
        }
        assert set(given) == TOOLS
        for tool in (await client.list_tools()).tools:
            assert tool.input_schema["additionalProperties"] is False
            refused = await call(tool.name, **given[tool.name], date="2015-06-01")
            said = f"{tool.name}: date is not known here: leave it out, or mend its name"
            assert refused["error"] == said
        assert await call("coverage", act=None) == await call("coverage"), "null is: not given"
        for wrong, said in (
            ({}, "question is missing"),
            ({"question": ""}, "question is empty: send words"),
            ({"question": 5}, "question must be a string in quotation marks"),
            ({"question": "x" * 100_000}, "question is too long: send 20,000 characters at most"),
            ({"question": "wages", "k": 50}, "k is too large: send 20 at most"),
            (
                {"question": "wages", "acts": "IPC", "k": "x"},
                'k must be a whole number, as 3; acts must be a list, as ["IPC"]',
            ),
            ({"question": "wages", "acts": [""]}, "an Act has no name"),
        ):
            refused = await call("find_provisions", **wrong)
            assert refused["error"].endswith(f"find_provisions: {said}") and "pydantic" not in str(refused)
        unknown = await call("find_provisions", question="wages", build="none")
        assert "no build 'none' is published" in unknown["error"] and "mine" in unknown["error"]

    as_assistant(indexed, work)


def test_citations_are_verified_as_check_does(indexed: Path) -> None:
    build = Build.open(indexed / "builds" / "mine")
    names = [f"{act['title']}" for act in build.acts]
    texts = [
        f"{lead} section {number} of {name}{tail}"
        for name in names
        for number in ("2", "3", "3(1)", "77", "4A")
        for lead, tail in (("Under", ""), ("By", " (wages) he is paid."), ("On 3 March 2019,", " says “no lamp shall burn”."))
    ]  # fmt: skip

    async def work(client: Client, call: Call) -> None:
        for text in (*texts, "no citation", " ".join(texts)):
            verified, checked = await call("verify_citations", text=text), build.check_text(text)
            assert verified["citations"] == [c.model_dump() for c in checked.citations]
            assert verified["total"] == len(checked.citations)
            assert ("nothing was checked" in verified["message"]) == (not checked.citations)
            assert (verified["as_of"], verified["build"]) == (checked.as_of, checked.build)
            assert verified["wrong"] == sum(c.wrong for c in checked.citations)

        many = "Section 3 of the Lantern Keepers (Welfare) Act, 2011 is law. " * 230
        parts = [await call("verify_citations", text=many, start=start) for start in (0, 200, 300)]
        assert [len(part["citations"]) for part in parts] == [100, 30, 0], "no reply is too long to be read"
        assert {(part["total"], part["wrong"]) for part in parts} == {(230, 0)}
        assert "Read 230: 0 wrong on " in parts[0]["message"]

    as_assistant(indexed, work)


def test_over_standard_input_as_assistants_start_it(indexed: Path) -> None:
    command = ["-m", "citegrain", "mcp", "corpus.name=mine", f"artifacts='{indexed}'"]

    async def run() -> Any:
        server = StdioServerParameters(command=sys.executable, args=command)
        async with Client(stdio_client(server)) as client:
            return (await client.call_tool("get_provision", {"provision": SECTION})).structured_content

    shown = Build.open(indexed / "builds" / "mine").provision(SECTION).model_dump()
    provision = asyncio.run(run())["provision"]
    assert provision | {"url": shown["url"]} == shown and provision["url"].startswith("citegrain://")


def test_over_http_several_assistants_at_once(indexed: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "citegrain", "mcp", "--http", "--port", str(port)),
        *("corpus.name=mine", f"artifacts='{indexed}'"),
    ]

    async def work() -> Any:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            wrong = await client.call_tool("get_provision", {"provision": SECTION, "as_of": "soon"})
            assert wrong.is_error and "must be a day" in wrong.content[0].text  # type: ignore[union-attr]
            arguments = {"question": QUESTIONS[1], "k": 3}
            return (await client.call_tool("find_provisions", arguments)).structured_content

    async def several() -> Any:
        return await asyncio.gather(*(work() for _ in range(8)))

    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while server.poll() is None and time.monotonic() < until:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        results = asyncio.run(several())
        for name, status in (("evil.example", 421), ("127.0.0.1", 400)):
            reply = httpx.post(
                f"http://127.0.0.1:{port}/mcp", headers={"host": name}, json={}, trust_env=False
            )
            assert reply.status_code == status, name
    finally:
        server.terminate()
        server.wait(20)
    answer = Build.open(indexed / "builds" / "mine").ask(QUESTIONS[1], 3)
    for result in results:
        assert [(s["provision_id"], s["probability"], s["page"]) for s in result["provisions"]] == [
            (c.provision_id, c.probability, c.page) for c in answer.charges
        ]


def test_an_answer_and_its_sources_are_of_one_build(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, taken = OpenBuilds.get, []

    def once(builds: OpenBuilds, name: str = "") -> Build:
        taken.append(name)
        return given(builds, name)

    monkeypatch.setattr(OpenBuilds, "get", once)

    async def work(client: Client, call: Call) -> None:
        shown = await call("find_provisions", question=QUESTIONS[0], build="mine")
        assert shown["provisions"] and taken == ["mine"], "another build may be current when it is answered"

    as_assistant(indexed, work)
