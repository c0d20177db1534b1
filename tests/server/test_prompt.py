from __future__ import annotations

import pytest
from mcp import MCPError

from prompts.rag_system_prompt import render
from tests.server.desk import Desk
from tests.server.test_schema import NAMES

pytestmark = pytest.mark.anyio


async def text_of(desk: Desk, era: str, **arguments: str) -> str:
    async with desk.client(era) as client:
        prompt = await client.get_prompt("rag_system_prompt", arguments)
    (message,) = prompt.messages
    assert message.role == "user"
    return message.content.text  # type: ignore[union-attr]


async def test_without_arguments_the_prompt_lists_the_tools_of_this_server(desk: Desk, era: str) -> None:
    assert await text_of(desk, era) == render(available_tools=NAMES)


async def test_arguments_are_inserted_unchanged(desk: Desk, era: str) -> None:
    text = await text_of(desk, era, question="What {is} it?", domain="Pumps", available_tools="rag_semantic_search")

    assert "What {is} it?" in text
    assert "Pumps" in text
    assert "rag_show_page\n" not in text.split("## Tools listed now")[1]


async def test_the_first_argument_of_a_slash_command_is_the_question(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        prompts = {prompt.name: prompt.arguments or () for prompt in (await client.list_prompts()).prompts}
        first = {name: arguments[0].name for name, arguments in prompts.items()}
        (asked,) = (await client.get_prompt("ask", {"question": "How does the pump work?"})).messages
    assert first == {"ask": "question", "rag_system_prompt": "question"}
    assert asked.content.text == await text_of(desk, era, question="How does the pump work?")  # type: ignore[union-attr]


@pytest.mark.parametrize("wanted", ["How does the XYZ pump work?", "web_search", "rag_semantic_searches"])
async def test_tools_that_this_server_lacks_are_not_listed(desk: Desk, era: str, wanted: str) -> None:
    assert await text_of(desk, era, available_tools=wanted) == await text_of(desk, era)
    both = await text_of(desk, era, available_tools=f"- {wanted}\n- rag_get_document: whole pages")
    assert both.split("## Tools listed now")[1].count("- ") == 1


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("rag_sistem_prompt", {}, "rag_system_prompt"),
        ("rag_system_prompt", {"queston": "x"}, "Did you mean 'question'?"),
    ],
)
async def test_an_unknown_prompt_or_argument_is_reported_as_invalid(
    desk: Desk, era: str, name: str, arguments: dict[str, str], said: str
) -> None:
    async with desk.client(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)

    assert caught.value.error.code == -32602
    assert said in caught.value.error.message


async def test_a_question_cut_to_its_first_word_is_reported(desk: Desk, era: str) -> None:
    """Claude Code splits the typed text at spaces and passes only the first word. Its model sees the rest next to
    it."""
    async with desk.client(era) as client:
        for typed, noted in (("When", True), ("When is it?", False)):
            result = await client.get_prompt("ask", {"question": typed})
            text = result.messages[0].content.text  # type: ignore[union-attr]
            assert ("whatever the user typed behind the command" in text) is noted
