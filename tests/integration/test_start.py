"""Modules that a server loads before its first answer, in addition to those of a bare server of the SDK."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.doubles.raw_stdio import CHECKOUT, environment

MOST = 165
PACKAGES = {
    "corpus", "dotenv", "platformdirs", "prompts", "pydantic_settings", "server", "structlog", "tools",
}  # fmt: skip

LOADED = """
import json, sys
from mcp.server.mcpserver import MCPServer
import mcp.server.stdio
bare = set(sys.modules)
import server.cli, server.commands.serve, server.stdio
from server.app import build_server
from server.calls.tool_call import CallLog
ours = set(sys.modules) - bare
MCPServer("bare")  # makes the SDK load more
bare = set(sys.modules) - ours
build_server(None, CallLog(None))  # asked who it is, it needs neither library nor caller
print(json.dumps(sorted(set(sys.modules) - bare)))
"""
BEFORE_FIRST_ANSWER = """
import json, os, sys
os.environ["RAG_DATA_DIR"] = "/nowhere"
bare = set(sys.modules)
sys.argv = ["ibid", "serve"]
import server.cli
from server.first_answers.early import begin
begin()
print(json.dumps(sorted(set(sys.modules) - bare)))
"""
SLOW_TO_IMPORT = {"asyncio", "dataclasses", "importlib.metadata", "inspect", "logging", "pathlib", "typing"}
RICH_LATER = "import corpus, sys; assert 'rich' not in sys.modules; import rich.console; print('there')"


def ran(code: str) -> str:
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def test_a_server_starts_with_few_modules_beyond_the_sdk() -> None:
    loaded = json.loads(ran(LOADED))

    others = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    # The SDK loads a part of these already.
    assert others - {"anyio", "mcp", "pydantic"} <= PACKAGES
    assert len(loaded) <= MOST, loaded
    assert "corpus.search" not in loaded
    assert not [name for name in loaded if name.startswith(("tools.rag_", "corpus.index."))]


def test_almost_nothing_is_loaded_before_the_first_answer() -> None:
    loaded = set(json.loads(ran(BEFORE_FIRST_ANSWER)))

    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names == {"server"}
    assert not loaded & SLOW_TO_IMPORT


def test_modules_not_loaded_with_structlog_can_be_loaded_later() -> None:
    assert ran(RICH_LATER) == "there\n"
