"""The tested clients: their packages, their set-up, and the command for asking a question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

KEY = "dummy"
MODEL = "scripted"
CLINE = '"$0" auth -p openai-compatible -k dummy -m scripted -b "$1" && "$0" -P openai-compatible -m scripted "$2"'
MCPORTER = (
    '"$0" list ibid --schema; "$0" call ibid.rag_semantic_search query="$1" top_k:3; '
    '"$0" call ibid.rag_get_document name=pump; "$0" resource ibid'
)
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Place:
    """The environment of a client: its own home folder, the URL of the scripted model, the command that starts the
    server, and the folder of installed packages."""

    home: Path
    model: str
    server: Path
    packages: Path

    def write(self, name: str, content: str) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def nothing(_: Place) -> None:
    """Do nothing, because `ibid install` is the only set-up that the client needs."""


@dataclass(frozen=True)
class Client:
    """A client to test.

    `package` is an npm package, or a PyPI package if `python` is true; `beside` lists further packages that it needs.
    `installs` is its name for `ibid install`. `asking` builds the command for a question, and `environment` returns
    additional environment variables.
    """

    name: str
    title: str
    package: str
    version: str
    asking: Callable[[Place, str], list[str]]
    environment: Callable[[Place], Mapping[str, str]] = lambda _: {}
    set_up: Callable[[Place], None] = nothing
    installs: str | None = None
    python: bool = False
    beside: tuple[str, ...] = ()
    slash: str | None = None
    """Template of a message that calls the prompt `ask`, with the placeholder {question}."""
    mention: str | None = None
    """Template of a message that attaches a resource to a question, with the placeholder {uri}."""


def binary(name: str, place: Place, client: str) -> str:
    return str(place.packages / "npm" / client / "node_modules" / ".bin" / name)


def driver(client: str, script: str) -> Callable[[Place, str], list[str]]:
    def asking(place: Place, question: str) -> list[str]:
        python = str(place.packages / "pip" / client / "bin" / "python")
        return [python, str(HERE / "drivers" / f"{script}.py"), place.model, str(place.server), question]

    return asking


def _claude(place: Place, question: str) -> list[str]:
    """Return the command for a question. A slash command is sent as a later turn, because the first turn does not wait
    for servers."""
    options = ["--allowedTools", "mcp__ibid", "ToolSearch"]
    program = binary("claude", place, "claude-code")
    if not question.startswith("/"):
        return [program, "-p", question, *options]
    turn = json.dumps({"type": "user", "message": {"role": "user", "content": question}})
    streams = "--input-format stream-json --output-format stream-json --verbose"
    return ["/bin/sh", "-c", f'(sleep 15; echo "$1") | "$0" -p {streams} {" ".join(options)}', program, turn]


def _gemini(place: Place) -> None:
    file = place.home / ".gemini/settings.json"
    settings = json.loads(file.read_text()) | {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    file.write_text(json.dumps(settings))


def _qwen(place: Place) -> None:
    servers = {"ibid": {"command": str(place.server), "args": ["serve"]}}
    auth = {"auth": {"selectedType": "openai"}}
    place.write(".qwen/settings.json", json.dumps({"mcpServers": servers, "security": auth}))


def _codex(place: Place) -> None:
    file = place.home / ".codex/config.toml"
    provider = (
        f'model = "gpt-5.4"\nmodel_provider = "{MODEL}"\n\n'
        f'[model_providers.{MODEL}]\nname = "{MODEL}"\nbase_url = "{place.model}/v1"\n'
        'env_key = "SCRIPTED_KEY"\nwire_api = "responses"\n\n'
    )
    file.write_text(provider + file.read_text())


def _opencode(place: Place) -> None:
    file = place.home / ".config/opencode/opencode.json"
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": MODEL, "tool_call": True, "attachment": True,
                           "modalities": {"input": ["text", "image"], "output": ["text"]}}},
    }  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | {"provider": {MODEL: provider}}))


def _mcporter(place: Place) -> None:
    servers = {"ibid": {"command": str(place.server), "args": ["serve"]}}
    place.write("config/mcporter.json", json.dumps({"mcpServers": servers}))


def _cline(place: Place) -> None:
    servers = {"ibid": {"command": str(place.server), "args": ["serve"]}}
    place.write(".cline/data/settings/cline_mcp_settings.json", json.dumps({"mcpServers": servers}))


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code", "Claude Code", "@anthropic-ai/claude-code", "2.1.332",
            _claude,
            lambda place: {"ANTHROPIC_BASE_URL": place.model, "ANTHROPIC_API_KEY": KEY},
            installs="claude-code", slash="/mcp__ibid__ask {question}",
        ),
        Client(
            "gemini", "Gemini CLI", "@google/gemini-cli", "0.61.0",
            lambda place, question: [binary("gemini", place, "gemini"), "-p", question, "--approval-mode", "yolo"],
            lambda place: {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": place.model,
                           "GEMINI_CLI_TRUST_WORKSPACE": "true"},
            _gemini, installs="gemini", slash='/ask --question="{question}"', mention="@ibid:{uri} {question}",
        ),
        Client(
            "codex", "Codex", "@openai/codex", "0.171.0",
            lambda place, question: [binary("codex", place, "codex"), "exec", "--skip-git-repo-check",
                                     "--dangerously-bypass-approvals-and-sandbox", question],
            lambda place: {"SCRIPTED_KEY": KEY}, _codex, installs="codex",
        ),
        Client(
            "opencode", "opencode", "opencode-ai", "1.18.33",
            lambda place, question: [binary("opencode", place, "opencode"), "run", "-m", f"{MODEL}/{MODEL}", question],
            lambda place: {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
            _opencode, installs="opencode",
        ),
        Client(
            "copilot", "Copilot CLI", "@github/copilot", "1.0.102",
            lambda place, question: [binary("copilot", place, "copilot"), "-p", question, "--allow-all-tools"],
            lambda place: {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{place.model}/v1",
                           "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": "gpt-5.4"},
            installs="copilot",
        ),
        Client(
            "qwen", "Qwen Code", "@qwen-code/qwen-code", "0.24.4",
            lambda place, question: [binary("qwen", place, "qwen"), "-p", question, "--approval-mode", "yolo"],
            lambda place: {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{place.model}/v1", "OPENAI_MODEL": MODEL},
            _qwen,
        ),
        Client(
            "cline", "Cline", "cline", "3.0.65",
            lambda place, question: ["/bin/sh", "-c", CLINE, binary("cline", place, "cline"),
                                     f"{place.model}/v1", question],
            set_up=_cline,
        ),
        Client(
            "mcporter", "mcporter", "mcporter", "0.12.3",
            lambda place, question: ["/bin/sh", "-c", MCPORTER, binary("mcporter", place, "mcporter"), question],
            set_up=_mcporter,
        ),
        Client(
            "fastmcp", "FastMCP", "fastmcp", "4.2.3", driver("fastmcp", "fastmcp_client"), python=True,
        ),
        Client(
            "langchain", "LangChain", "langchain-mcp-adapters", "0.3.2", driver("langchain", "langchain_agent"),
            python=True, beside=("langchain==1.5.2", "langchain-openai==1.7.4"),
        ),
        Client(
            "llama-index", "LlamaIndex", "llama-index-tools-mcp", "0.6.0", driver("llama-index", "llama_index_agent"),
            python=True, beside=("llama-index-llms-openai-like==0.8.1",),
        ),
        Client(
            "openai-agents", "OpenAI Agents SDK", "openai-agents", "0.24.0", driver("openai-agents", "openai_agent"),
            python=True,
        ),
        Client(
            "google-adk", "Google ADK", "google-adk", "2.13.0", driver("google-adk", "google_adk_agent"),
            python=True, beside=("mcp==2.3.0",),
        ),
        Client(
            "pydantic-ai", "Pydantic AI", "pydantic-ai-slim[mcp,openai]", "2.68.0",
            driver("pydantic-ai", "pydantic_agent"), python=True,
        ),
        Client(
            "smolagents", "smolagents", "smolagents[mcp,openai]", "1.26.0", driver("smolagents", "smolagents_agent"),
            python=True, beside=("mcp<2",),
        ),
    )
}  # fmt: skip
