"""A client's first requests are answered before the SDK is loaded, with the bytes that the SDK would send."""

from __future__ import annotations

import json
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from server.first_answers.kept_file import FOLDER
from tests.doubles.raw_stdio import ENVELOPE, RawServer, environment
from tests.doubles.start_gate import GateServer

LISTS = ("tools/list", "prompts/list", "resources/templates/list")
LEGACY, MODERN = ("2025-06-18", "2025-11-25"), "2026-07-28"
ASKING = {"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": True}}
VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
CAPABILITIES: dict[str, dict[str, Any]] = {
    "none": {},
    "sampling": {"sampling": {}},
    "elicitation": {"elicitation": {}},
    "asking": ASKING,
    "views": VIEWS | ASKING,
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "impeller"}}
WHO = {"name": "test", "version": "1"}


def request(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({"params": params} if params else {})


def hello(number: int | str = 0, version: str = LEGACY[1], **shows: Any) -> dict[str, Any]:
    return request(number, "initialize", protocolVersion=version, capabilities=shows, clientInfo=WHO)


def opening(version: str, shows: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the first requests of a client of this protocol generation."""
    if version != MODERN:
        return [hello(0, version, **shows), *(request(f"id {m}", m) for m in ("ping", *LISTS))]
    meta = ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": shows, "progressToken": 7}
    return [request(n, method, _meta=meta) for n, method in enumerate(("server/discover", *LISTS))]


def lines(server: RawServer, requests: Sequence[dict[str, Any]]) -> list[bytes]:
    """Send each request after the previous one was answered, and return the answers."""
    for each in requests:
        server.ask_raw(json.dumps(each).encode(), each["id"])
    return list(server.lines)


def pipelined(server: RawServer, *messages: dict[str, Any]) -> None:
    server.send(b"\n".join(json.dumps(each).encode() for each in messages))


def ids(server: RawServer) -> list[Any]:
    return [json.loads(line).get("id") for line in server.lines]


def files(env: dict[str, str]) -> list[Path]:
    return sorted((Path(env["RAG_DATA_DIR"]) / FOLDER).glob("*"))


def started_once(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a server that ran before and answered a request."""
    env = environment(RAG_DATA_DIR=str(folder), RAG_EMBEDDER="none", RAG_USER_ID="zoe", **more)
    with RawServer(env=env) as server:
        server.shake_hands()
        assert server.close() == 0
    return env


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return started_once(tmp_path_factory.mktemp("kept") / "data")


@pytest.fixture
def own_env(env: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment for a test that changes the stored file."""
    shutil.copytree(Path(env["RAG_DATA_DIR"]) / FOLDER, tmp_path / "data" / FOLDER)
    return env | {"RAG_DATA_DIR": str(tmp_path / "data")}


@pytest.mark.parametrize(
    "shows",
    [
        "none",
        "asking",
        "views",
        pytest.param("sampling", marks=pytest.mark.slow),
        pytest.param("elicitation", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("version", [*LEGACY, MODERN])
def test_an_early_answer_equals_that_of_the_sdk_byte_for_byte(
    env: dict[str, str], tmp_path: Path, version: str, shows: str
) -> None:
    requests = opening(version, CAPABILITIES[shows])
    with GateServer(env, tmp_path / "gate") as fast, RawServer(env=env) as slow:
        assert lines(fast, requests) == lines(slow, requests)


def test_an_answer_to_an_unusual_form_of_a_request_is_that_of_the_sdk(env: dict[str, str], tmp_path: Path) -> None:
    icons = [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}]
    introduction = hello()
    introduction["params"]["clientInfo"] = WHO | {"title": "Ä", "user_agent": "x", "icons": icons}
    params = ({"cursor": None}, {"_meta": {}}, {"_meta": {"progressToken": "x"}}, None)
    lists = [request(n, "prompts/list") | {"params": each} for n, each in enumerate(params, 1)]
    with GateServer(env, tmp_path / "gate") as fast, RawServer(env=env) as slow:
        assert lines(fast, [introduction, *lists]) == lines(slow, [introduction, *lists])


def test_the_sdk_takes_over_the_session_as_if_it_had_answered(env: dict[str, str], tmp_path: Path) -> None:
    hidden = {"name": "rag_show_evidence", "arguments": {}}  # unknown unless the client shows views
    with GateServer(env, tmp_path / "gate") as server:
        lines(server, opening(LEGACY[1], VIEWS))
        server.let_go()
        answer = server.ask_raw(json.dumps(request("call", "tools/call", **hidden)).encode(), "call")
        resources = server.ask_raw(json.dumps(request("last", "resources/list")).encode(), "last")
        assert server.close() == 0

    assert "Unknown tool" not in answer["result"]["content"][0]["text"]
    assert "resources" in resources["result"]
    assert len(set(ids(server))) == len(server.lines) == 7


@pytest.mark.parametrize("version", [LEGACY[1], MODERN])
def test_a_call_that_does_not_wait_for_initialization_is_answered(
    env: dict[str, str], tmp_path: Path, version: str
) -> None:
    first, *rest = opening(version, {})
    meta = {"_meta": first["params"]["_meta"]} if version == MODERN else {}
    call = request("call", "tools/call", **SEARCH, **meta)
    with GateServer(env, tmp_path / "gate") as server:
        pipelined(server, first, call, *rest)
        for each in (first, *rest):
            server.answer_to(each["id"])
        server.let_go()
        answer = server.answer_to("call")
        assert server.close() == 0

    assert answer["result"]["structuredContent"]["success"] is True
    assert ids(server) == [first["id"], *(each["id"] for each in rest), "call"]


def test_a_client_that_leaves_before_the_sdk_is_loaded_ends_the_server(env: dict[str, str], tmp_path: Path) -> None:
    with GateServer(env, tmp_path / "gate") as server:
        lines(server, [hello()])
        code = server.close()

    assert code == 0
    assert ids(server) == [0]
    assert b"Traceback" not in server.errors


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_client_of_the_sdk_is_served_as_usual(env: dict[str, str], mode: Any) -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-P", "-c", "from server.cli import main; main()", "serve"], env=env
    )
    async with Client(command, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        answer = await client.call_tool("rag_semantic_search", {"query": "impeller"})

    assert "rag_semantic_search" in tools
    assert "ask" in prompts
    assert not answer.is_error


def test_a_ping_is_answered_before_and_after_initialization(env: dict[str, str], tmp_path: Path) -> None:
    requests = [request("before", "ping"), hello(), request("after", "ping")]
    with GateServer(env, tmp_path / "gate") as fast, RawServer(env=env) as slow:
        early = lines(fast, requests)
        assert early == lines(slow, requests)
        fast.let_go()
        answer = fast.ask_raw(json.dumps(request("late", "ping")).encode(), "late")
        assert fast.close() == 0

    assert answer["result"] == {}
    assert ids(fast) == ["before", 0, "after", "late"]


def test_a_request_id_can_be_reused(env: dict[str, str], tmp_path: Path) -> None:
    with GateServer(env, tmp_path / "gate") as server:
        pipelined(server, hello(1), READY, request(1, "tools/list"), request(1, "ping"), request(2, "ping"))
        server.answer_to(2)
        server.let_go()
        listed = server.ask_raw(json.dumps(request(1, "prompts/list")).encode(), 1)
        assert server.close() == 0

    assert "prompts" in listed["result"]
    assert ids(server) == [1, 1, 1, 2, 1]


def test_cancelling_an_answered_request_changes_nothing(env: dict[str, str], tmp_path: Path) -> None:
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    with GateServer(env, tmp_path / "gate") as server:
        pipelined(server, hello(), READY, request(5, "tools/list"), cancel)
        server.answer_to(5)
        server.let_go()
        server.ask_raw(json.dumps(request(6, "resources/list")).encode(), 6)
        assert server.close() == 0

    assert ids(server) == [0, 5, 6]


@pytest.mark.parametrize(
    "first",
    [
        request(0, "tools/call", **SEARCH),
        request(0, "initialize", protocolVersion="2025-11-25"),
        request(0, "tools/list", _meta={"io.modelcontextprotocol/protocolVersion": MODERN}),
    ],
)
def test_an_unknown_first_message_waits_for_the_sdk(env: dict[str, str], tmp_path: Path, first: dict[str, Any]) -> None:
    (tmp_path / "gate").touch()
    requests = [first, request("next", "tools/list")]
    with GateServer(env, tmp_path / "gate") as fast, RawServer(env=env) as slow:
        assert lines(fast, requests) == lines(slow, requests)


def test_unknown_capabilities_are_learned(own_env: dict[str, str], tmp_path: Path) -> None:
    requests = opening(LEGACY[1], {"experimental": {"x": {"y": [1]}}})
    with RawServer(env=own_env) as slow:
        expected = lines(slow, requests)
        assert slow.close() == 0

    with GateServer(own_env, tmp_path / "gate") as fast:
        assert lines(fast, requests) == expected


def test_an_answer_that_differs_from_the_sdks_is_announced_and_replaced(
    own_env: dict[str, str], tmp_path: Path
) -> None:
    (file,) = files(own_env)
    kept = file.read_text(encoding="utf-8")
    file.write_text(kept.replace("Search the documents", "Search nothing"), encoding="utf-8")
    with GateServer(own_env, tmp_path / "gate") as server:
        early = lines(server, [hello(), request(1, "tools/list"), request(2, "prompts/list")])
        server.let_go()
        server.ask_raw(json.dumps(request(3, "resources/list")).encode(), 3)
        assert server.close() == 0

    assert b"Search nothing" in early[1]
    notices = [message["method"] for message in server.messages() if "method" in message]
    assert notices == ["notifications/tools/list_changed"]
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(kept)


@pytest.mark.parametrize("damage", ["{", "[" * 100_000])
def test_a_damaged_file_is_created_again(own_env: dict[str, str], tmp_path: Path, damage: str) -> None:
    (file,) = files(own_env)
    kept = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(damage, encoding="utf-8")
    (tmp_path / "gate").touch()
    with GateServer(own_env, tmp_path / "gate") as server:
        answers = [json.loads(line) for line in lines(server, opening(LEGACY[1], {}))]
        assert server.close() == 0

    assert all("result" in answer for answer in answers)
    assert json.loads(file.read_text(encoding="utf-8")) == kept


@pytest.mark.parametrize("text", ['{}}\n{"jsonrpc":"2.0","id":9,"result":{}', "null"])
def test_a_hostile_file_produces_no_invalid_line(own_env: dict[str, str], tmp_path: Path, text: str) -> None:
    (file,) = files(own_env)
    kept = json.loads(file.read_text(encoding="utf-8"))
    hostile = {"format": 1, "texts": [text], "answers": dict.fromkeys(kept["answers"], 0)}
    file.write_text(json.dumps(hostile), encoding="utf-8")
    (tmp_path / "gate").touch()
    with GateServer(own_env, tmp_path / "gate") as server:
        answers = [json.loads(line) for line in lines(server, opening(LEGACY[1], {}))]
        assert server.close() == 0

    assert [answer["id"] for answer in answers] == [0, *(f"id {method}" for method in ("ping", *LISTS))]
    assert answers[0]["result"]["serverInfo"]["name"] == "ibid"
    assert len(server.lines) == len(answers)
    assert json.loads(file.read_text(encoding="utf-8")) == kept


def test_the_file_is_private_and_names_nobody(env: dict[str, str]) -> None:
    (file,) = files(env)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    text = file.read_text(encoding="utf-8")
    for word in ("zoe", env["RAG_DATA_DIR"], "test"):
        assert word not in text.replace("latest", "")


def test_two_servers_share_one_file(tmp_path: Path) -> None:
    env = environment(RAG_DATA_DIR=str(tmp_path / "data"), RAG_EMBEDDER="none")
    with RawServer(env=env) as some, RawServer(env=env, era="legacy") as other:
        some.shake_hands()
        other.shake_hands()
        codes = [some.close(), other.close()]
    (file,) = files(env)

    assert codes == [0, 0]
    requests = opening(MODERN, {})
    with GateServer(env, tmp_path / "gate") as fast, RawServer(env=env) as slow:
        assert lines(fast, requests) == lines(slow, requests)
    assert file.exists()


def test_an_unwritable_folder_does_not_matter(own_env: dict[str, str]) -> None:
    (file,) = files(own_env)
    file.unlink()
    file.parent.rmdir()
    file.parent.write_text("a file where the folder belongs")
    with RawServer(env=own_env) as server:
        server.shake_hands()
        assert server.close() == 0

    assert b"Traceback" not in server.errors


def test_invalid_settings_still_end_with_one_message(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "gate").touch()
    with GateServer(env | {"RAG_LOG_LEVEL": "loud"}, tmp_path / "gate") as server:
        server.send(json.dumps(hello()).encode())
        code = server.close()

    assert code == 2
    assert server.lines == []
    assert b"RAG_LOG_LEVEL" in server.errors
