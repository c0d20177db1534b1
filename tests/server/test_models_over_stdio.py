"""A real server process with a local model: its tools follow the settings."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.chat_service import MODEL, ChatService, said_to
from tests.doubles.embedding_service import hanging
from tests.doubles.in_thread import in_thread
from tests.doubles.raw_stdio import RawServer, environment
from tests.patience import PATIENCE


@pytest.fixture
def service() -> Iterator[ChatService]:
    with in_thread(ChatService()) as service:
        yield service


@pytest.fixture(params=["modern", pytest.param("legacy", marks=pytest.mark.slow)])
def raw_era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def env(tmp_path: Path, service: ChatService, **more: str) -> dict[str, str]:
    return environment(
        RAG_DATA_DIR=str(tmp_path / "data"), RAG_EMBEDDER="none", RAG_LLM_MODEL=MODEL,
        RAG_LLM_BASE_URL=service.base_url, RAG_LLM_API_KEY=str(service.key), **more,
    )  # fmt: skip


def names(server: RawServer) -> list[str]:
    return [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]


def structured(answer: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def test_the_configured_model_writes_and_the_log_contains_no_word_of_it(
    tmp_path: Path, service: ChatService, raw_era: str
) -> None:
    with RawServer(env=env(tmp_path, service), era=raw_era) as server:
        server.shake_hands()
        assert names(server)[-1] == "llm_generate"
        answer = server.call("llm_generate", {"prompt": "Say hello.", "context": {"name": "Ann"}})
        assert names(server)[-1] == "llm_generate"
        assert server.close() == 0

    assert structured(answer)["generated_text"] == "Written."
    lines = [json.loads(line) for line in server.errors.splitlines()]
    (line,) = [one for one in lines if one.get("tool") == "llm_generate"]
    assert (line["outcome"], line["tokens_used"], line["prompt_length"]) == ("ok", 18, 10)
    for word in (b"hello", b"Ann", b"Written", str(service.key).encode()):
        assert word not in server.errors


def test_prompts_in_a_folder_are_sent_to_the_model(tmp_path: Path, service: ChatService) -> None:
    (tmp_path / "llm_generate.md").write_text("Rhyme.")
    with RawServer(env=env(tmp_path, service, RAG_PROMPTS_DIR=str(tmp_path))) as server:
        server.shake_hands()
        server.call("llm_generate", {"prompt": "Say hello."})

    assert said_to(service)[0][0] == {"role": "system", "content": "Rhyme."}


def test_an_unusable_prompt_ends_the_server_before_it_starts(tmp_path: Path, service: ChatService) -> None:
    (tmp_path / "synthesis.md").write_text("Cite {context}.")
    with RawServer(env=env(tmp_path, service, RAG_PROMPTS_DIR=str(tmp_path))) as server:
        assert server.process.wait(PATIENCE) == 2
        assert server.close() == 2

    assert b"RAG_PROMPTS_DIR contains synthesis.md, which has the variable {context}" in server.errors
    assert b"Traceback" not in server.errors


def test_other_tools_answer_while_a_model_hangs_and_the_server_can_still_end(
    tmp_path: Path, service: ChatService, raw_era: str
) -> None:
    service.next.append(hanging)
    with RawServer(env=env(tmp_path, service), era=raw_era) as server:
        server.shake_hands()
        waiting = server.request("tools/call", {"name": "llm_generate", "arguments": {"prompt": "Say hello."}})
        server.send(json.dumps(waiting).encode())
        end = time.monotonic() + PATIENCE
        while not service.requests and time.monotonic() < end:
            time.sleep(0.01)
        assert service.requests
        assert structured(server.call("rag_list_documents", {}))["documents"] == []
        assert server.close() == 0
