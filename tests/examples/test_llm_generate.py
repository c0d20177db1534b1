"""An agent and the example workflow pass found blocks to `llm_generate` as its context."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.agent import EventType
from tests.doubles.agent_model import calls, results, says
from tests.doubles.chat_service import MODEL, ChatService, said_to
from tests.doubles.in_thread import in_thread
from tests.doubles.raw_stdio import environment
from tests.examples.conftest import ROOT, Thinking, kinds, run, told
from tests.patience import PATIENCE

WORKFLOW = ROOT / "examples" / "brief_from_blocks.py"
QUERY = "main risks of Project Titan in the third quarter"


@pytest.fixture
def writer() -> Iterator[ChatService]:
    with in_thread(ChatService()) as service:
        yield service


def settings_of(writer: ChatService) -> dict[str, str]:
    return {"RAG_LLM_MODEL": MODEL, "RAG_LLM_BASE_URL": writer.base_url, "RAG_LLM_API_KEY": writer.key or ""}


def from_its_context(body: dict[str, Any]) -> str:
    """Return the first sentence of the first block in the context, with its citation."""
    asked = body["messages"][-1]["content"]
    citation = re.search(r'"citation": "([^"]+)"', asked)
    content = re.search(r'"content": "([^"]+?\.)[ "\\]', asked)
    assert citation
    assert content
    return f"- {content[1]} {citation[1]}"


def writes_from_the_blocks(messages: list[dict[str, Any]]) -> dict[str, Any]:
    hits = results(messages)[-1]["results"]
    blocks = [{name: hit[name] for name in ("citation", "content")} for hit in hits[:4]]
    return calls(("llm_generate", {"prompt": "Write a brief.", "context": {"blocks": blocks}}))(messages)


@pytest.mark.anyio
async def test_an_agent_gets_a_text_written_from_the_blocks_that_it_found(
    thinking: Thinking, writer: ChatService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings_of(writer).items():
        monkeypatch.setenv(name, value)
    writer.says = from_its_context
    search = calls(("rag_semantic_search", {"query": QUERY}))

    def answers(messages: list[dict[str, Any]]) -> dict[str, Any]:
        return says(results(messages)[-1]["generated_text"])(messages)

    async with thinking(search, writes_from_the_blocks, answers):
        events = await run(None, tmp_path)
    assert kinds(events)[-1] is EventType.COMPLETE
    tools = [one["tool"] for one in told(events, EventType.TOOL_RESULT)]
    assert tools[:2] == ["rag_semantic_search", "llm_generate"]
    (answer,) = told(events, EventType.COMPLETE)
    assert "(Source: project-titan-q3-report.pdf, S. " in answer["answer"]
    assert answer["verification"]["unsupported_claims"] == []
    (asked,) = said_to(writer)
    assert "<<" in asked[-1]["content"]  # the blocks are fenced as data


def brief(samples: dict[str, str], writer: ChatService, folder: Path) -> subprocess.CompletedProcess[str]:
    shell = environment(**samples, **settings_of(writer)) | {"PYTHONUTF8": "1"}
    return subprocess.run([sys.executable, str(WORKFLOW), QUERY], env=shell, cwd=folder, capture_output=True,
                          text=True, encoding="utf-8", timeout=PATIENCE, check=False)  # fmt: skip


def test_the_workflow_prints_a_text_that_its_sources_support(
    samples: dict[str, str], writer: ChatService, tmp_path: Path
) -> None:
    writer.says = from_its_context
    done = brief(samples, writer, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "(Source: project-titan-q3-report.pdf, S. " in done.stdout


def test_the_workflow_names_a_claim_that_no_source_supports(
    samples: dict[str, str], writer: ChatService, tmp_path: Path
) -> None:
    writer.says = lambda body: "- It costs 77 billion euros (Source: project-titan-q3-report.pdf, S. 1)."
    done = brief(samples, writer, tmp_path)
    assert done.returncode == 1
    assert "Not borne out by its source: It costs 77 billion euros" in done.stderr
