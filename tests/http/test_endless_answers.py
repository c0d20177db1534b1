"""The answer of a client's own model blocks nobody, whatever its length and content."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import anyio
import anyio.to_thread
import pytest
from mcp.types import CallToolResult

from tests.doubles.client_model import ClientModel
from tests.doubles.in_thread import in_thread
from tests.http.raw import ask, modern, request
from tests.http.site import Site
from tests.server.desk import answer_in, failure_in
from tools.protocol import Models

pytestmark = pytest.mark.anyio

SOON = 20.0
"""Maximum seconds until a probe is answered on a busy machine. Before the fix, it took a minute or never came."""
ANSWERS = {
    "newlines": ("\n" * 200_000, "gave no text"),
    "spaces": (" " * 900_000, "more than 400000 characters"),
    "thoughts": ("<think>\n" * 20_000, "gave no text"),
    "a fence": ("```" + "\n" * 200_000 + "x", "wrote no answer"),
}


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    models = Models(llm_generate="You write.")
    with in_thread(Site(tmp_path_factory.mktemp("writing"), models=models)) as running:
        yield running


class Probes:
    """Asks repeatedly for the health of a server. `longest` is the longest response time."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._over = False
        self.longest = 0.0

    def go_on(self) -> None:
        while not self._over:
            before = time.monotonic()
            assert ask(self._site.address, request("GET", "/healthz", {"Connection": "close"})).status == 200
            self.longest = max(self.longest, time.monotonic() - before)

    def end(self) -> None:
        self._over = True


async def called(site: Site, era: str, said: str, tool: str, arguments: dict[str, str]) -> CallToolResult:
    """Return the answer of a tool to a client whose model answers `said`, while probes ask for the server's health."""
    probes = Probes(site)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, probes.go_on)
        try:
            async with site.client(era, model=ClientModel(said)) as client:
                result = await client.call_tool(tool, arguments)
        finally:
            probes.end()
    assert 0 < probes.longest < SOON
    assert isinstance(result, CallToolResult)
    return result


@pytest.mark.parametrize(("said", "why"), ANSWERS.values(), ids=ANSWERS)
async def test_an_answer_for_a_synthesis_blocks_nobody_and_its_fault_is_reported(
    writing: Site, era: str, said: str, why: str
) -> None:
    asked = {"query": "What does the pump move?", "mode": "llm"}
    answer = answer_in(await called(writing, era, said, "rag_synthesize", asked))
    assert why in " ".join(answer["warnings"])
    assert answer["mode"] == "compose"
    assert "impeller" in answer["answer"]


@pytest.mark.parametrize("kind", ["newlines", "spaces", "thoughts"])
async def test_an_answer_for_a_prompt_blocks_nobody(writing: Site, era: str, kind: str) -> None:
    said, why = ANSWERS[kind]
    failure = failure_in(await called(writing, era, said, "llm_generate", {"prompt": "Write."}))
    assert why in failure["error"]


def test_more_answers_than_a_call_can_have_asked_for_are_ignored(writing: Site) -> None:
    answers = {f"a{n}": {"action": "decline"} for n in range(30)}
    called = {"name": "rag_list_documents", "arguments": {}, "inputResponses": answers}
    result = json.loads(ask(writing.address, modern("tools/call", called)).body)["result"]
    assert result["isError"]
    assert "inputResponses" in result["content"][0]["text"]
