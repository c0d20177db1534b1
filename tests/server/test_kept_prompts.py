"""Prompts in Langfuse: selected by name, version or label, with the packaged one as the fallback."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator

import pytest
import structlog
from aiohttp import web
from mcp import Client

from corpus.errors import NotConfigured
from corpus.synthesis.writer import Pen
from prompts.texts import OWN
from server import bootstrap, prompt_registry
from server.app import build_server
from server.calls.tool_call import CallLog
from server.prompt_registry import FreshPrompts, KeptPrompts, Langfuse, LiveInstructions
from server.settings.model import load_settings
from server.settings.telemetry import Wish
from tests.doubles.prompt_registry import PUBLIC, SECRET, PromptRegistry
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio

THEIRS = "Our house style. Write [N] after each. Else: Not found in sources"
SYSTEM = OWN["rag_system_prompt"].text


@pytest.fixture
async def registry() -> AsyncIterator[PromptRegistry]:
    async with PromptRegistry() as service:
        yield service


def prompts_of(registry: PromptRegistry, *wishes: Wish, secret: str = SECRET) -> KeptPrompts:
    return KeptPrompts(OWN, wishes, Langfuse(registry.base_url, PUBLIC, secret))


SYNTHESIS = Wish("synthesis", "synthesis", "production")


async def test_a_prompt_is_selected_by_label_by_version_and_by_another_name(registry: PromptRegistry) -> None:
    registry.put("synthesis", THEIRS + " 1", "production")
    registry.put("synthesis", THEIRS + " 2", "staging")
    registry.put("our/synthesis", THEIRS + " 3", "production")
    for which, text in (("production", "1"), ("staging", "2"), ("2", "2")):
        prompts = prompts_of(registry, Wish("synthesis", "synthesis", which))
        assert prompts["synthesis"].text == OWN["synthesis"].text
        await prompts.refresh()
        assert prompts["synthesis"].text == f"{THEIRS} {text}"
    prompts = prompts_of(registry, Wish("synthesis", "our/synthesis", "production"))
    await prompts.refresh()
    assert prompts["synthesis"].text.endswith("3")
    assert prompts["synthesis"].version not in (OWN["synthesis"].version, "")
    assert registry.asked[-1][0] == "our/synthesis"


async def test_nothing_is_requested_before_it_is_needed_and_then_once_a_minute(
    registry: PromptRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.put("synthesis", THEIRS, "production")
    prompts = prompts_of(registry, SYNTHESIS)
    instructions = LiveInstructions(prompts["synthesis"])
    assert (registry.asked, instructions.text) == ([], OWN["synthesis"].text)
    for _ in range(3):
        await prompts.refresh("synthesis")
    assert (len(registry.asked), instructions.text) == (1, THEIRS)
    registry.put("synthesis", THEIRS + " Newer.", "production")
    monkeypatch.setattr(prompt_registry, "FRESH", 0.0)
    await prompts.refresh("synthesis")
    assert instructions.text.endswith("Newer.")
    assert instructions.version == prompts["synthesis"].version


async def test_a_template_with_query_and_observations_is_used_unchanged(registry: PromptRegistry) -> None:
    template = "User Query:\n{{query}}\n\nResearch Observations:\n{{ observations }}\n\nGenerate an answer:"
    registry.put("synthesis", template, "production")
    prompts = prompts_of(registry, SYNTHESIS)
    with structlog.testing.capture_logs() as lines:
        await prompts.refresh("synthesis")
    text = prompts["synthesis"].text
    assert lines == []
    assert text.startswith("User Query:\n(the question in the message that follows)\n\nResearch Observations:\n(the ")
    assert "[N]" in text
    assert "Not found in sources" in text


TROUBLES: list[tuple[object, str]] = [
    (None, "no such prompt"),
    ("", "empty"),
    (THEIRS + " {{unknown}}", "{unknown}"),
    ([{"role": "system", "content": THEIRS}], "not a text prompt"),
    (web.Response(status=500), "status 500"),
    (web.Response(text="<html>"), "not JSON"),
    (web.Response(body=b"x" * (600 * 1024)), "too long"),
    (web.Response(body=b"[" * 200_000), "not JSON"),
    (web.Response(body=gzip.compress(b" " * 9_000_000), headers={"Content-Encoding": "gzip"}), "not JSON"),
    (THEIRS + "\ud800", "half of a surrogate pair"),
    ("hang", "no answer within"),
]


@pytest.mark.parametrize(("trouble", "why"), TROUBLES)
async def test_for_any_fault_the_packaged_prompt_is_used_and_a_warning_is_logged_once(
    registry: PromptRegistry, monkeypatch: pytest.MonkeyPatch, trouble: object, why: str
) -> None:
    monkeypatch.setattr(prompt_registry, "FRESH", 0.0)
    monkeypatch.setattr(prompt_registry, "PATIENCE", 0.2 if trouble == "hang" else 20.0)
    if isinstance(trouble, web.Response) or trouble == "hang":
        registry.act = trouble  # type: ignore[assignment]
    elif trouble is not None:
        registry.put("synthesis", trouble, "production")
    prompts = prompts_of(registry, SYNTHESIS)
    with structlog.testing.capture_logs() as lines:
        await prompts.refresh()
        if not isinstance(trouble, web.Response):
            await prompts.refresh()
    assert prompts["synthesis"].text == OWN["synthesis"].text
    (told,) = [one for one in lines if one["event"] == "prompts.not_kept"]
    assert why in told["why"]
    assert (told["log_level"], told["used"]) == ("warning", "packaged")
    assert SECRET not in str(told)


async def test_a_system_prompt_without_one_of_its_variables_is_not_used(registry: PromptRegistry) -> None:
    registry.put("rag_system_prompt", SYSTEM.replace("{question}", ""), "production")
    prompts = prompts_of(registry, Wish("rag_system_prompt", "rag_system_prompt", "production"))
    with structlog.testing.capture_logs() as lines:
        await prompts.refresh()
    assert prompts["rag_system_prompt"].text == SYSTEM
    assert "lacks the variable {question}" in lines[0]["why"]


async def test_an_unreachable_service_keeps_its_last_prompts(
    registry: PromptRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_registry, "FRESH", 0.0)
    registry.put("synthesis", THEIRS, "production")
    prompts = prompts_of(registry, SYNTHESIS)
    await prompts.refresh()
    registry.act = web.Response(status=503)
    await prompts.refresh()
    assert prompts["synthesis"].text == THEIRS


async def test_wrong_keys_and_an_unreachable_service_are_reported_with_the_fix(registry: PromptRegistry) -> None:
    down = KeptPrompts(OWN, [SYNTHESIS], Langfuse("http://127.0.0.1:9", PUBLIC, SECRET))
    with structlog.testing.capture_logs() as lines:
        await prompts_of(registry, SYNTHESIS, secret="sk-wrong").refresh()
        await down.refresh()
    assert "LANGFUSE_SECRET_KEY" in lines[0]["why"]
    assert "cannot be reached" in lines[1]["why"]


async def test_a_client_gets_the_current_system_prompt(registry: PromptRegistry, stocked: Desk, era: str) -> None:
    changed = SYSTEM.replace("## Domain\n", "## Domain\nHouse rule 7 holds.\n")
    registry.put("rag_system_prompt", changed.replace("{question}", "{{ question }}"), "production")
    prompts = prompts_of(registry, Wish("rag_system_prompt", "rag_system_prompt", "production"))
    server = build_server(
        stocked.opened, CallLog(lambda: stocked.caller), texts=prompts, middleware=[FreshPrompts(prompts)]
    )
    async with Client(server, mode=era) as client:  # type: ignore[arg-type]
        assert registry.asked == []
        got = await client.get_prompt("rag_system_prompt", {"domain": "Pumps", "question": "What is it?"})
    assert "House rule 7 holds." in got.messages[0].content.text  # type: ignore[union-attr]
    assert "What is it?" in got.messages[0].content.text  # type: ignore[union-attr]


def test_the_settings_name_the_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_LANGFUSE_PROMPTS", "synthesis, rag_system_prompt=team/rag@staging,document_summary@3")
    with pytest.raises(NotConfigured, match="LANGFUSE_PUBLIC_KEY"):
        load_settings()
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    assert load_settings().langfuse_prompts == (
        SYNTHESIS,
        Wish("rag_system_prompt", "team/rag", "staging"),
        Wish("document_summary", "document_summary", "3"),
    )
    assert SECRET not in str(load_settings().masked())
    monkeypatch.setenv("RAG_LANGFUSE_PROMPTS", "sythesis")
    with pytest.raises(NotConfigured, match="sythesis"):
        load_settings()


def test_a_writer_accepts_instructions_that_change() -> None:
    assert Pen(LiveInstructions(OWN["synthesis"])).instructions.text == OWN["synthesis"].text


async def test_answers_are_written_with_the_instructions_from_langfuse(
    registry: PromptRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.put("synthesis", THEIRS, "production")
    for name, value in {
        "RAG_LANGFUSE_PROMPTS": "synthesis",
        "LANGFUSE_BASE_URL": registry.base_url,
        "LANGFUSE_PUBLIC_KEY": PUBLIC,
        "LANGFUSE_SECRET_KEY": SECRET,
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert bootstrap.prompts(settings)["synthesis"].text == OWN["synthesis"].text
    assert registry.asked == []
    async with bootstrap.pen(settings) as held:
        assert held.instructions.text == THEIRS
