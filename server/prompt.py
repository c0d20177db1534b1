"""The MCP prompt `rag_system_prompt`: the RAG system prompt, for a client that wants it in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer, UserMessage
from pydantic import Field

from corpus.text import clean
from prompts.rag_system_prompt import render_from
from prompts.texts import PromptText

NAME = "rag_system_prompt"
ARGUMENTS = ("available_tools", "user_context", "domain", "question")

Text = str | None


def add_prompts(server: MCPServer[Any], tools: Sequence[str], prompt: PromptText) -> None:
    listed = "\n".join(f"- {tool}" for tool in tools)

    @server.prompt(
        name=NAME,
        title="Answer from my documents",
        description="How to answer from the user's own documents with citations: to classify, plan, search and cite.",
    )
    def rag_system_prompt(
        available_tools: Annotated[
            Text, Field(description="Tools to use. Default: all of this server.")
        ] = None,
        user_context: Annotated[Text, Field(description="Role, language, habits. Grants no access.")] = None,
        domain: Annotated[
            Text, Field(description="What the documents are about; terms and house rules.")
        ] = None,
        question: Annotated[
            Text, Field(description="The question, unless the conversation holds it.")
        ] = None,
    ) -> list[UserMessage]:
        text = render_from(
            prompt,
            available_tools=clean(available_tools or "") or listed,
            user_context=clean(user_context or ""),
            domain=clean(domain or ""),
            question=clean(question or ""),
        )
        return [UserMessage(text)]
