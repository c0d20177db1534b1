"""The MCP prompts: `ask` with a question, and `rag_system_prompt`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer, UserMessage
from pydantic import Field

from corpus.text.normalization import clean
from prompts.rag_system_prompt import render_from
from prompts.texts import PromptText

NAME, ASK = "rag_system_prompt", "ask"
ARGUMENTS = ("question", "available_tools", "user_context", "domain")
"""The question comes first, because slash commands put the typed text into the first argument."""

Text = str | None


PASSED_IN_PART = "{} (all that the client passed; the question is whatever the user typed behind the command)"


def whole(question: str) -> str:
    """Add a note to a question of one word. Claude Code splits the typed text at spaces and passes only the first
    word; the model sees the rest beside the prompt."""
    return PASSED_IN_PART.format(question) if len(question.split()) == 1 else question


def add_prompts(server: MCPServer[Any], tools: Sequence[str], prompt: PromptText) -> None:
    """Register the prompts with the server."""

    def rendered(question: Text, available: Text = None, user: Text = None, domain: Text = None) -> list[UserMessage]:
        text = render_from(
            prompt,
            available_tools=listed_tools(clean(available or ""), tools),
            user_context=clean(user or ""),
            domain=clean(domain or ""),
            question=whole(clean(question or "")),
        )
        return [UserMessage(text)]

    @server.prompt(
        name=ASK,
        title="Ask my documents",
        description="Answer a question from the user's own documents, with citations to file and page.",
    )
    def ask(
        question: Annotated[str, Field(description="The question, in any language.")],
    ) -> list[UserMessage]:
        return rendered(question)

    @server.prompt(
        name=NAME,
        title="Answer from my documents",
        description="How to answer from the user's own documents with citations: to classify, plan, search and cite.",
    )
    def rag_system_prompt(
        question: Annotated[Text, Field(description="The question, unless the conversation holds it.")] = None,
        available_tools: Annotated[Text, Field(description="Tools to use. Default: all of this server.")] = None,
        user_context: Annotated[Text, Field(description="Role, language, habits. Grants no access.")] = None,
        domain: Annotated[Text, Field(description="What the documents are about; terms and house rules.")] = None,
    ) -> list[UserMessage]:
        return rendered(question, available_tools, user_context, domain)


def listed_tools(wanted: str, tools: Sequence[str]) -> str:
    """The lines of `wanted` that name tools of this server. If none does, such as a misplaced question, all tools."""
    lines = [line for line in wanted.splitlines() if any(_names(line, tool) for tool in tools)]
    return "\n".join(lines or [f"- {tool}" for tool in tools])


def _names(line: str, tool: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(tool)}(?![\w-])", line))
