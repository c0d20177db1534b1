"""The MCP prompts: `ask` with a question, and `rag_system_prompt`. Completions for arguments of prompts and resources
come from the documents that the caller may read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import structlog
from mcp.server.mcpserver import MCPServer, UserMessage
from mcp.types import Completion as Offered
from mcp.types import CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import Field

from corpus.errors import IbidError
from corpus.lookup.value_completion import Choices, matching_choices
from corpus.text.normalization import clean
from prompts.rag_system_prompt import render_from
from prompts.texts import PromptText
from server.calls.deadlines import within
from server.mcp_resources import BLOCK_IMAGE, DOCUMENT, PAGE, PAGE_IMAGE
from tools.disclosed_documents import disclose
from tools.protocol import CallerOf, LibraryOf

NAME, ASK = "rag_system_prompt", "ask"
ARGUMENTS = ("question", "available_tools", "user_context", "domain")
"""Arguments of the prompt. The question comes first, because slash commands put the typed text into the first
argument."""

Text = str | None


PASSED_IN_PART = "{} (all that the client passed; the question is whatever the user typed behind the command)"


def whole(question: str) -> str:
    """Add a note to a question that is a single word. Claude Code splits the typed text at spaces and passes only the
    first word; the model sees the rest outside the prompt."""
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
        description="How to answer from the user's own documents with citations: classify, plan, search and cite.",
    )
    def rag_system_prompt(
        question: Annotated[Text, Field(description="The question, unless the conversation contains it.")] = None,
        available_tools: Annotated[Text, Field(description="Tools to use. Default: all tools of this server.")] = None,
        user_context: Annotated[Text, Field(description="Role, language, habits. Grants no access.")] = None,
        domain: Annotated[Text, Field(description="What the documents are about; terms and house rules.")] = None,
    ) -> list[UserMessage]:
        return rendered(question, available_tools, user_context, domain)


def listed_tools(wanted: str, tools: Sequence[str]) -> str:
    """Return the lines of `wanted` that name tools of this server. If there are none, for example because `wanted` is a
    misplaced question, return all tools."""
    lines = [line for line in wanted.splitlines() if any(_names(line, tool) for tool in tools)]
    return "\n".join(lines or [f"- {tool}" for tool in tools])


def _names(line: str, tool: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(tool)}(?![\w-])", line))


log = structlog.stdlib.get_logger("ibid")

PLACES = (DOCUMENT, PAGE, PAGE_IMAGE)


class Completion:
    """A handler of completions. It returns values for the arguments that can be completed, and nothing for other
    arguments and unknown prompts.

    If it fails, it logs the failure and returns no values, because an error does not help a user who is typing.
    """

    def __init__(self, library: LibraryOf, caller_of: CallerOf, tools: Sequence[str], seconds: float | None) -> None:
        self._library = library
        self._caller_of = caller_of
        self._tools = tools
        self._seconds = seconds

    async def complete(
        self,
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Offered:
        """Return the values that complete an argument for the current caller."""
        known = (context.arguments if context else None) or {}
        outcome, choices = "InternalError", Choices()
        try:
            with within(self._seconds):
                choices = await self._choices(ref, argument.name, argument.value, known)
            disclose(*choices.documents)
            outcome = "ok"
        except IbidError as error:
            outcome = error.type
        finally:
            log.info("completion", argument=argument.name[:40], outcome=outcome, values=len(choices.values))
        more = choices.total is None or choices.total > len(choices.values)
        return Offered(values=list(choices.values), total=choices.total, has_more=more)

    async def _choices(
        self,
        ref: PromptReference | ResourceTemplateReference,
        name: str,
        typed: str,
        known: dict[str, str],
    ) -> Choices:
        if isinstance(ref, PromptReference):
            return await self._of_prompt(ref.name, name, typed)
        if ref.uri in PLACES and name == "doc_id":
            return await (await self._library()).completion.documents(typed, self._caller_of())
        if ref.uri in (PAGE, PAGE_IMAGE) and name == "page" and "doc_id" in known:
            return await (await self._library()).completion.pages(known["doc_id"], typed, self._caller_of())
        if ref.uri == BLOCK_IMAGE and name == "block_id":
            return await (await self._library()).completion.figures(typed, self._caller_of())
        return Choices()

    async def _of_prompt(self, prompt: str, name: str, typed: str) -> Choices:
        if prompt == NAME and name == "available_tools":
            return matching_choices(self._tools, typed)
        if prompt == NAME and name == "domain":
            return await (await self._library()).completion.subjects(typed, self._caller_of())
        return Choices()  # only the user can write a question or describe their habits


def add_completion(
    server: MCPServer[Any],
    library: LibraryOf,
    caller_of: CallerOf,
    tools: Sequence[str],
    seconds: float | None,
) -> None:
    """Register completion with the server."""
    server.completion()(Completion(library, caller_of, tools, seconds).complete)  # type: ignore[no-untyped-call]
