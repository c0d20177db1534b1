"""Recorded requests of real clients, replayed line by line to a server over the sample documents.

`scripts/try_clients.py` recorded the lines. A line of the client follows `> `. A server answer or question at that
point follows `< `, as its id and method only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.raw_stdio import CHECKOUT, RawServer, environment
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.txt"))
NAMES = [path.stem for path in RECORDED]
FIGURE, AMBIGUOUS, SEARCH = "rag_show_page", "rag_get_document", "rag_semantic_search"


@dataclass
class Session:
    """A recorded session that is replayed to a server: each request with its answer, in the order of the requests."""

    name: str
    exchanges: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    """Requests of the server to the client."""
    errors: str = ""

    def results(self, method: str, tool: str | None = None) -> list[dict[str, Any]]:
        return [
            answer["result"]
            for request, answer in self.exchanges
            if request["method"] == method and tool in (None, request.get("params", {}).get("name"))
        ]


def lines_of(name: str) -> list[tuple[str, str]]:
    text = (Path(__file__).parent / "recorded" / f"{name}.txt").read_text(encoding="utf-8")
    return [(row[0], row[2:]) for row in text.splitlines()]


def runs_of(name: str) -> Iterator[list[tuple[str, str]]]:
    """Split a recording into its servers, because a client may start several."""
    run: list[tuple[str, str]] = []
    for who, line in lines_of(name):
        if who == ">" and json.loads(line).get("method") == "initialize" and run:
            yield run
            run = []
        run.append((who, line))
    yield run


def played(name: str, folder: Path) -> Session:
    """Send every line as recorded, and wait for each answer at the point where the client had it. Only sealed values
    and the ends of addresses come from this server."""
    session = Session(name)
    for run in runs_of(name):
        env = environment(RAG_DATA_DIR=str(folder))
        env.pop("RAG_LOG_LEVEL", None)
        command = [sys.executable, "-P", "-c", "from server.cli import main; main()", "serve"]
        with RawServer(env=env, command=command) as server:
            requests: dict[str, dict[str, Any]] = {}
            answers: dict[str, dict[str, Any]] = {}
            for who, recorded in run:
                line = recorded
                if who == ">":
                    message = json.loads(line)
                    if state := message.get("params", {}).get("requestState"):
                        line = line.replace(json.dumps(state), json.dumps(sealed_in(answers)))
                    line = re.sub(ADDRESS, partial(address_in, json.dumps(answers)), line)
                    if "method" in message and "id" in message:
                        requests[json.dumps(message["id"])] = message
                    server.send(line.encode())
                else:
                    wait_for(json.loads(line), server, answers, session.questions)
            session.exchanges += [(requests[key], answers[key]) for key in requests if key in answers]
            server.close()
            session.errors += server.errors.decode()
    return session


ADDRESS = r"(rag://documents/[a-z0-9-]+-)[0-9a-f]{8}"


def address_in(answers: str, recorded: re.Match[str]) -> str:
    """Return a document's address from this server. Its end depends on the path of the file."""
    current = re.search(re.escape(recorded[1]) + r"[0-9a-f]{8}", answers)
    return current[0] if current else recorded[0]


def sealed_in(answers: dict[str, dict[str, Any]]) -> str:
    """Return the call state as this server sealed it, because a client returns the state that it got."""
    states = [answer["result"]["requestState"] for answer in answers.values() if "requestState" in answer["result"]]
    return str(states[-1])


def wait_for(
    expected: dict[str, Any], server: RawServer, answers: dict[str, Any], questions: list[dict[str, Any]]
) -> None:
    """Wait until the server has answered the request, or asked the question, as in the recording."""
    key = json.dumps(expected.get("id"))
    if "id" not in expected or ("method" not in expected and key in answers):
        return  # a notification, or a request already answered
    while True:
        message = json.loads(server._line())
        if "method" in message and "id" in message:
            questions.append(message)
        elif "method" not in message:
            answers[json.dumps(message["id"])] = message
        if message.get("id") == expected["id"] and ("method" in message) == ("method" in expected):
            return


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the sample documents without vectors, because client behaviour does not depend on vectors."""
    folder = tmp_path_factory.mktemp("stocked")
    command = [sys.executable, "-P", "-c", "from server.cli import main; main()", "ingest"]
    subprocess.run(
        [*command, str(CHECKOUT / "examples" / "documents")], check=True, timeout=10 * PATIENCE,
        env=environment(RAG_DATA_DIR=str(folder)), capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module", params=NAMES)
def session(request: pytest.FixtureRequest, stocked: Path) -> Session:
    return played(request.param, stocked)


def test_at_least_eight_clients_were_recorded() -> None:
    assert len({name.rpartition("-")[0] for name in NAMES}) >= 8


def test_every_request_is_answered_without_a_protocol_error(session: Session) -> None:
    assert session.exchanges
    for request, answer in session.exchanges:
        assert "result" in answer, (request["method"], answer)


def test_an_error_is_plain_text_with_the_next_step(session: Session) -> None:
    """Gemini CLI takes JSON in an error for structured content, fails to validate it against the schema, and loses
    it."""
    for result in session.results("tools/call", AMBIGUOUS):
        if result.get("resultType") == "input_required":
            continue
        assert result["isError"]
        assert "structuredContent" not in result
        sentence, *hints, kind = result["content"][0]["text"].splitlines()
        assert sentence.startswith("'pump' fits 4 documents.")
        assert len(hints) == 4
        assert kind == "Type: AmbiguousDocument"


def test_a_question_to_a_person_has_no_internal_name(session: Session) -> None:
    for result in session.results("tools/call", AMBIGUOUS):
        assert set(result.get("inputRequests", ())) <= {"ibid:document"}


def test_a_declined_choice_is_not_attributed_to_the_user(session: Session) -> None:
    """A client without a terminal declines without asking the user."""
    assert "chose none" not in json.dumps(session.results("tools/call", AMBIGUOUS))


def test_the_first_line_of_the_instructions_states_the_servers_purpose(session: Session) -> None:
    """Codex shows only this line for a server whose tools it does not list."""
    for method in ("initialize", "server/discover"):
        for result in session.results(method):
            assert result["instructions"].startswith("Search the user's own documents")


def test_input_schemas_contain_only_what_every_client_accepts(session: Session) -> None:
    for result in session.results("tools/list"):
        assert len(json.dumps(result["tools"], ensure_ascii=False, separators=(",", ":")).encode()) < 16_000
        for tool in result["tools"]:
            for schema in parts_of(tool["inputSchema"]):
                assert not {"$ref", "anyOf", "oneOf", "additionalProperties"} & set(schema), tool["name"]
                assert isinstance(schema["type"], str)
            for name, part in tool["inputSchema"]["properties"].items():
                assert name in tool["inputSchema"].get("required", ()) or part["nullable"]


def parts_of(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for part in schema.get("properties", {}).values():
        yield from parts_of(part)
    if "items" in schema:
        yield from parts_of(schema["items"])


def test_a_search_names_documents_in_citations_and_has_no_nulls(session: Session) -> None:
    for result in session.results("tools/call", SEARCH):
        found = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == found
        assert ":null" not in result["content"][0]["text"]
        assert all(document["document_title"] for document in found.get("documents", ()))
        assert not any("filename" in hit for hit in found["results"])
        assert all(hit["citation"].startswith("(Source: ") for hit in found["results"])


def test_clients_that_treat_links_as_files_get_no_figure_links(session: Session) -> None:
    """LangChain does so, and OpenAI's chat completions then refuse the entire request."""
    framework = any('clientInfo":{"name":"mcp"' in line.replace(" ", "") for _, line in lines_of(session.name))
    for result in session.results("tools/call", SEARCH):
        links = [part for part in result["content"] if part["type"] == "resource_link"]
        assert bool(links) is not framework


def test_a_page_is_shown_by_its_file_name_as_a_small_picture(session: Session) -> None:
    """Google's ADK would otherwise write the picture into the text."""
    for result in session.results("tools/call", FIGURE):
        *pictures, words = result["content"]
        assert len(pictures) == (not session.name.startswith("google-adk"))
        assert all(len(picture["data"]) * 3 / 4 <= 350_000 for picture in pictures)
        assert "If you got no picture, you have not seen it" in words["text"]


def test_documents_are_listed_for_mentions(session: Session) -> None:
    for result in session.results("resources/list"):
        documents = [each for each in result["resources"] if each["uri"].startswith("rag://documents/")]
        assert len(documents) == 7
        assert all(each["title"] for each in documents)


def test_a_mentioned_document_is_short(session: Session) -> None:
    for result in session.results("resources/read"):
        (content,) = result["contents"]
        assert len(content["text"]) < 10_000


def test_the_slash_command_keeps_the_question(session: Session) -> None:
    for result in session.results("prompts/get"):
        text = result["messages"][0]["content"]["text"]
        # Claude Code passes only the first word; its model also gets the complete question.
        kept = "the question is whatever the user typed behind the command"
        assert ("When is the mechanical seal changed?" in text) or kept in text
        assert "no tool" not in text.lower()


def test_nothing_is_written_besides_the_protocol(session: Session) -> None:
    """Clients show other output as errors."""
    assert session.errors == ""


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_stored_for_every_first_request(name: str) -> None:
    """The answer must come before the SDK is loaded: Cline waits three seconds, and Codex does not wait at all."""
    from server.first_answers import requests

    for run in runs_of(name):
        session = requests.Session()
        first = next(line for who, line in run if who == ">")
        message = requests.parse(first.encode())
        assert message
        assert session.key(message), first


@pytest.mark.parametrize("name", {json.loads(lines_of(name)[0][1])["method"]: name for name in NAMES}.values())
def test_an_empty_index_is_reported_first(name: str, tmp_path: Path) -> None:
    """This holds for each tool. One client of each protocol generation is enough."""
    lines = [line for who, line in lines_of(name) if who == ">"]
    calls = [line for line in lines if '"tools/call"' in line and "inputResponses" not in line]
    with RawServer(env=environment(RAG_DATA_DIR=str(tmp_path))) as server:
        first = json.loads(lines[0])
        server.ask_raw(lines[0].encode(), first["id"])
        if first["method"] == "initialize":
            server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        for number, call in enumerate(calls):
            request = json.loads(call) | {"id": f"again-{number}"}
            result = server.ask_raw(json.dumps(request).encode(), request["id"])["result"]
            assert "The index is empty" in result["content"][0]["text"], request["params"]["name"]


@pytest.mark.first_start_runs
def test_install_stores_the_first_answers_for_the_clients_entry(tmp_path: Path) -> None:
    env = environment(HOME=str(tmp_path), RAG_DATA_DIR=str(tmp_path / "data"))
    command = [sys.executable, "-P", "-c", "from server.cli import main; main()", "install", "claude-desktop"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / ".config/Claude/claude_desktop_config.json").read_text())["mcpServers"]["ibid"]

    from server.first_answers.kept_file import PREFIXES, kept_path, load

    plain = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES)}
    path = kept_path(plain | entry["env"])
    assert path
    assert Path(path).exists()
    assert load(path)
