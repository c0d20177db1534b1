"""rag_synthesize: write an answer with citations and images.

No `from __future__ import annotations` here: the SDK evaluates annotations that name resolvers local to `make`.
"""

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, Resolve
from pydantic import AliasChoices, Field

from corpus.errors import AmbiguousDocument, IbidError, LLMError
from corpus.filters import Filters
from corpus.generation.protocol import Generated, Prompt
from corpus.synthesis.request import CitationStyle, Observation, SynthesisRequest, Turn, WritingMode
from tools.disclosed_documents import disclose
from tools.elicitation import Chosen, Which, ask_which, choice, still_meant
from tools.figure_links import figures
from tools.input_schemas import FilterArgumentsInShort
from tools.multi_round import question
from tools.protocol import (
    NO_BOOLEAN,
    Argument,
    CallerOf,
    LibraryOf,
    Models,
    ToolFunction,
    ToShow,
    no_identity_warning,
)
from tools.rag_semantic_search import IncludeImages
from tools.sampling import NOT_ASKED, Asked, Sampled, Unanswered, ask, can_sample, unasked, written
from tools.synthesis_shape import SynthesisAnswer, build_answer


class ObservationArgument(Argument):
    """A finding of another tool."""

    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    url: Annotated[str, Field(max_length=2000)] = ""
    title: Annotated[str, Field(max_length=300)] = ""


class TurnArgument(Argument):
    """An earlier turn of the conversation."""

    role: Literal["user", "assistant"]
    text: Annotated[str, Field(max_length=20_000, validation_alias=AliasChoices("text", "content"))]


QUERY = Annotated[str, Field(description="The user's question.")]
TOP_K = Annotated[int, Field(ge=1, le=20, description="How many blocks to search for."), NO_BOOLEAN]
BLOCK_IDS = Annotated[
    list[str] | None,
    Field(max_length=50, description="Blocks of earlier results to answer from, instead of a search."),
]
OBSERVATIONS = Annotated[
    list[ObservationArgument] | None,
    Field(max_length=20, description="Findings of other tools, such as web pages, as further sources."),
]
HISTORY = Annotated[
    list[TurnArgument] | None,
    Field(max_length=50, description="Earlier turns, if the question refers to them."),
]
MODE = Annotated[
    WritingMode,
    Field(description="compose: excerpts, no model; llm: a model; auto: a model if there is one."),
]
STYLE = Annotated[
    CitationStyle | None,
    Field(description="inline: [N] with a list; source: (Source: file, S. 4) after each statement."),
]
LINKS = Annotated[bool, Field(description="Citations become links to their pages.")]
MAX_TOKENS = Annotated[int, Field(ge=100, le=4000, description="Maximum tokens of the answer."), NO_BOOLEAN]


def make(library: LibraryOf, caller_of: CallerOf, models: Models) -> ToolFunction:
    """Return the tool's function. Its resolvers choose the document, build the request, and ask the client's model."""

    @question("document")
    async def choose_document(
        ctx: Context[Any, Any],
        query: str,
        filters: FilterArgumentsInShort,
        block_ids: list[str] | None,
        observations: list[ObservationArgument] | None,
        history: list[TurnArgument] | None,
    ) -> Which:
        if block_ids or observations or history:
            return None
        try:
            request = SynthesisRequest(query, Filters.parse(filters))
            meant = await (await library()).resolver.by_question(request, caller_of())
        except AmbiguousDocument as several:
            return await ask_which(several, ctx, choose_document)
        except IbidError:  # the tool itself will report it
            return None
        return still_meant(meant.doc_id if meant else None, ctx, choose_document)

    async def build_request(
        chosen: Annotated[Chosen, Resolve(choose_document)],
        query: str,
        filters: FilterArgumentsInShort,
        top_k: int,
        block_ids: list[str] | None,
        observations: list[ObservationArgument] | None,
        history: list[TurnArgument] | None,
        mode: WritingMode,
        citation_style: CitationStyle | None,
        max_tokens: int,
    ) -> SynthesisRequest | IbidError:
        """Return the arguments as a request, or return the error that the tool must raise."""
        try:
            request = SynthesisRequest(
                query,
                Filters.parse(filters),
                top_k,
                tuple(block_ids or ()),
                tuple(
                    Observation(finding.text, finding.url or None, finding.title or None)
                    for finding in observations or ()
                ),
                tuple(Turn(turn.role, turn.text) for turn in history or ()),
                mode,
                citation_style,
                max_tokens,
            )
            if picked := choice(chosen):
                request = await (await library()).resolver.answered_from(request, picked, caller_of())
        except IbidError as failure:
            return failure
        return request

    @question("text")
    async def sampled_text(ctx: Context[Any, Any], request: Annotated[Any, Resolve(build_request)]) -> Asked:
        if isinstance(request, IbidError) or request.mode == "compose":
            return NOT_ASKED
        if not models.sampling or not can_sample(ctx):
            return NOT_ASKED
        try:
            draft = await (await library()).drafted(request, caller_of())
        except IbidError:  # the tool itself will report it
            return NOT_ASKED
        return await ask(draft.prompt, ctx, sampled_text, models) if draft else NOT_ASKED

    async def rag_synthesize(
        request: Annotated[Any, Resolve(build_request)],
        sampled: Annotated[Sampled, Resolve(sampled_text)],
        query: QUERY,
        filters: FilterArgumentsInShort = None,
        top_k: TOP_K = 10,
        block_ids: BLOCK_IDS = None,
        observations: OBSERVATIONS = None,
        history: HISTORY = None,
        mode: MODE = "auto",
        citation_style: STYLE = None,
        links: LINKS = False,
        include_images: IncludeImages = False,
        max_tokens: MAX_TOKENS = 1000,
    ) -> SynthesisAnswer:
        """Answer a question from the user's documents in one call, with citations and figures; each claim is checked
        against its source. Use it if you should not write the answer yourself. To write it yourself, use
        rag_semantic_search, then check the text with rag_verify_answer. Keep the citations and images of the answer.
        If "the report" could mean several documents, the user is asked which one."""
        if isinstance(request, IbidError):
            raise request
        caller, opened = caller_of(), await library()
        made = await opened.synthesize(request, caller, await _writer(sampled))
        has_sources = made.sources or made.raw_chunks or made.mode == "llm" or request.block_ids
        missing = () if has_sources else no_identity_warning(caller, made.warnings)
        answer = build_answer(
            made, opened.page_words.for_question(query), missing, links=links, pages=opened.shows_pages
        )
        sources = [source.hit for source in made.sources if source.hit]
        disclose(*(hit.document.doc_id for hit in (*sources, *made.raw_chunks)))
        answer.with_beside(await figures(sources, opened, caller, with_pictures=include_images))
        return answer.showing(ToShow(answer.answer, made.claims, made.sources, as_given=False))

    return rag_synthesize


class ClientsModel:
    """A `TextGenerator` that returns the text that the client's model has already written. If there is none, it fails
    with the reason."""

    id = "The client's model"

    def __init__(self, text: Generated | Unanswered) -> None:
        self._text = text

    async def generate(self, prompt: Prompt) -> Generated:
        """Generate as `TextGenerator` does. Raise LLMError if the client's model wrote nothing."""
        if isinstance(self._text, Unanswered):
            raise LLMError(f"it {self._text.why}.")
        return self._text

    async def aclose(self) -> None:
        """See `TextGenerator`. There is nothing to close."""


async def _writer(sampled: Sampled) -> ClientsModel | None:
    text = await written(sampled)
    return None if unasked(text) else ClientsModel(text)
