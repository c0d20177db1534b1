"""Complete prompt and resource arguments from what the caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from mcp.server.mcpserver import MCPServer
from mcp.types import Completion as Offered
from mcp.types import (
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from corpus.errors import IbidError
from corpus.lookup.value_completion import Choices, matching_choices
from server.calls.deadlines import within
from server.mcp_prompts import NAME
from server.mcp_resources import BLOCK_IMAGE, DOCUMENT, PAGE, PAGE_IMAGE
from tools.disclosed_documents import disclose
from tools.protocol import CallerOf, LibraryOf

log = structlog.stdlib.get_logger("ibid")

PLACES = (DOCUMENT, PAGE, PAGE_IMAGE)


class Completion:
    """Answers for each argument for which there are values; none for the others, and for what this server has not.

    What fails is told in the log: to somebody who types, no values are more use than an error.
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
        """The values that complete an argument for the current caller."""
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
        return Choices()  # a question and a person's habits are theirs to word


def add_completion(
    server: MCPServer[Any],
    library: LibraryOf,
    caller_of: CallerOf,
    tools: Sequence[str],
    seconds: float | None,
) -> None:
    """Register completion with the server."""
    server.completion()(Completion(library, caller_of, tools, seconds).complete)  # type: ignore[no-untyped-call]
