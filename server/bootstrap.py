"""Build the parts that the settings select: index, embedder, reading processes, library. No other module builds them.

Heavy imports are inside the functions, so that the server can answer `initialize` before they are loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import structlog

from corpus.access import ANONYMOUS, Caller
from corpus.errors import NotConfigured
from prompts.texts import PromptText, UnusablePrompt, prompt_texts
from server.caller import stdio_caller
from server.gc_freeze import gc_frozen
from server.identity.entra import sign_in_host, tenant_of
from server.settings.azure import READER, set_up
from server.settings.model import Settings
from server.unavailable import UnavailableEmbedder, UnavailableGenerator, UnavailableReranker

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken
    from pydantic import SecretStr

    from corpus.embedding.protocol import Embedder
    from corpus.generation.protocol import TextGenerator
    from corpus.index.azure import AzureIndex, Service, Wishes
    from corpus.index.azure.pictures import Container
    from corpus.index.azure.service.on_behalf_of import OnBehalfOf
    from corpus.index.local import LocalIndex
    from corpus.ingestion.summaries import ModelAdditions
    from corpus.library import Library
    from corpus.readers.ocr.records import Records
    from corpus.readers.protocol import Reading
    from corpus.readers.sandbox.pool import ReadingProcesses
    from corpus.reranking.reranking import Reranking
    from corpus.synthesis.model_judge import ModelJudge
    from corpus.synthesis.writer import Pen
    from server.prompt_registry import KeptPrompts

log = structlog.stdlib.get_logger("ibid")

OPENAI_SCOPE = "https://cognitiveservices.azure.com/.default"


@dataclass(frozen=True, slots=True)
class Workshop:
    """The parts of an ingestion. `reader` reads documents in the processes of `reading`, which also render pages.
    `embedder` embeds passages. `records` stores OCR text, and is None if OCR is off. `no_vectors` is the reason why a
    configured embedder cannot be used, or an empty string."""

    index: LocalIndex
    reading: ReadingProcesses
    reader: Reading
    embedder: Embedder | None
    readable: frozenset[str]
    reader_version: str
    records: Records | None
    cores: int
    no_vectors: str = ""


class LazyLibrary:
    """A shared library that opens at the first call. Set `of_many` if several callers may use it."""

    def __init__(self, settings: Settings, *, of_many: bool = False) -> None:
        self._settings, self._of_many = settings, of_many
        self._opening = anyio.Lock()
        self._open = AsyncExitStack()
        self._library: Library | None = None

    async def __call__(self) -> Library:
        """Return the library. Raise NotConfigured or InternalError if it cannot be opened; the next call tries
        again."""
        async with self._opening:
            if self._library is None:
                # Import in a thread, so that the event loop can answer other requests.
                await anyio.to_thread.run_sync(_import_what_is_heavy, self._settings.backend)
                self._library = await self._open.enter_async_context(library(self._settings, of_many=self._of_many))
        return self._library

    async def warm(self) -> None:
        """Load the parts that the first search needs, such as vectors and the embedding model."""
        await (await self()).search("ready", ANONYMOUS, top_k=1)

    async def aclose(self) -> None:
        """Close the library if it was opened."""
        await self._open.aclose()


@asynccontextmanager
async def library(settings: Settings, *, of_many: bool = False, create: bool = True) -> AsyncIterator[Library]:
    """Open the library for the configured index, and close it at the end.

    Set `of_many` if several callers use the library: progress notes then contain neither numbers nor paths. Without
    `create`, raise NotConfigured if there is no local index yet.
    """
    from corpus.citations import PageWords
    from corpus.library import Library, no_url
    from server.folder_sync.ingestion_status import progress_notes, reading_notes

    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(pen(settings))
        again = usable_reranking(settings)
        if again is not None:
            stack.push_async_callback(again.aclose)
        if settings.backend == "azure":
            from corpus.readers.sandbox.pool import ReadingProcesses

            index = await stack.enter_async_context(azure_index(settings))
            # No process starts until a picture must be scaled.
            shrinker = await stack.enter_async_context(ReadingProcesses())
            yield Library(
                index,
                None,
                shrinker=shrinker,
                pages_held=settings.shows_pages,
                image_url=no_url,
                page_words=PageWords(settings.page_label),
                pen=writer,
                reranking=again,
            )
            return
        place = await stack.enter_async_context(workshop(settings, create=create))
        notes = partial(reading_notes, settings, of_many=of_many)
        yield Library(
            place.index,
            place.reading,
            page_words=PageWords(settings.page_label),
            notes=notes,
            pen=writer,
            reranking=again,
            progress=partial(progress_notes, settings, of_many=of_many),
            tells_of_emptiness=not of_many,
        )


@asynccontextmanager
async def pen(settings: Settings) -> AsyncIterator[Pen]:
    """Build the writer of answers: the configured model, if any, with its instructions. Send nothing yet."""
    from corpus.embedding.packaged import shared_embedder, token_count
    from corpus.synthesis.writer import Pen
    from server.prompt_registry import LiveInstructions

    texts = await fresh_prompts(settings, "synthesis", "claim_check")
    endpoint = usable_generator(settings)
    try:
        yield Pen(
            LiveInstructions(texts["synthesis"]),
            endpoint,
            token_count,
            settings.llm_temperature,
            settings.keep_answers,
            embedder=shared_embedder(),
            context_tokens=settings.llm_context_tokens,
            judge=_judge(settings, endpoint, texts["claim_check"]),
        )
    finally:
        if endpoint is not None:
            await endpoint.aclose()


def _judge(settings: Settings, endpoint: TextGenerator | None, prompt: PromptText) -> ModelJudge | None:
    if settings.verifier != "model" or endpoint is None:
        return None
    from corpus.synthesis.model_judge import ModelJudge
    from prompts.texts import claim_check

    return ModelJudge(endpoint, claim_check(prompt), settings.verifier_seconds)


@asynccontextmanager
async def azure_index(settings: Settings) -> AsyncIterator[AzureIndex]:
    """Open the configured indexes in Azure AI Search. Send nothing before the first query."""
    from corpus.embedding.query_cache import CachedQueries
    from corpus.index.azure import AzureIndex, Place

    place = Place(
        azure_service(settings),
        settings.azure_search_content_index,
        settings.azure_search_documents_index,
        azure_wishes(settings),
        settings.principal_prefixes,
        picture_container(settings),
        settings.azure_caller_token,
        on_behalf_of(settings),
    )
    async with AsyncExitStack() as stack:
        model = await usable_embedder(settings)
        if model:
            stack.push_async_callback(model.aclose)
        queries = CachedQueries(model) if model else None
        yield await stack.enter_async_context(AzureIndex(place, queries))


def azure_service(settings: Settings, *, role: str = READER, key_kind: str = "a key") -> Service:
    """Return the configured search service. Raise NotConfigured without an endpoint; the message names the required
    role or kind of key."""
    from corpus.index.azure import Service

    if not settings.azure_search_endpoint:
        raise NotConfigured(f"AZURE_SEARCH_ENDPOINT is not set. Set it, {set_up(role, key_kind)}.")
    key = settings.azure_search_api_key
    return Service(
        settings.azure_search_endpoint,
        key.get_secret_value() if key else None,
        settings.azure_search_audience,
    )


def on_behalf_of(settings: Settings) -> OnBehalfOf | None:
    """Return the configured on-behalf-of exchange of callers' tokens, or None."""
    if not settings.azure_on_behalf_of:
        return None
    from corpus.index.azure.service.on_behalf_of import Application, OnBehalfOf

    issuer = settings.auth_issuer or ""
    application = Application(
        tenant_of(issuer) or "",
        settings.azure_on_behalf_of,
        _plain(settings.azure_on_behalf_of_secret),
        sign_in_host(issuer),
    )
    return OnBehalfOf(application, settings.azure_search_audience)


def picture_container(settings: Settings) -> Container | None:
    """Return the configured private container for pictures, or None."""
    from corpus.index.azure.pictures import Container

    url, key = settings.azure_storage_container_url, settings.azure_storage_account_key
    return Container(url.get_secret_value(), _plain(key)) if url else None


def azure_wishes(settings: Settings) -> Wishes:
    """Return the schema settings of the content index."""
    from corpus.index.azure import Wishes

    return Wishes(
        settings.azure_vector_fields,
        settings.azure_semantic_config,
        settings.azure_embedder,
        settings.azure_knowledge_base,
    )


def embedder(settings: Settings) -> Embedder | None:
    """Return the configured embedder, or None. Its model is not loaded yet. Raise NotConfigured for missing
    settings."""
    from corpus.embedding import choose

    signs_in = settings.embedder == "azure-openai" and not settings.azure_openai_api_key
    return choose(settings.choice(_openai_token() if signs_in else None))


async def usable_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder for searches, or None. If it cannot be created, return a placeholder that fails at each
    query, so that the query uses keyword search only."""

    def described() -> Embedder | None:
        made = embedder(settings)
        if made:
            # With fastembed, these are available only after it has been imported and has read the model folder.
            _ = made.id, made.dimensions
        return made

    try:
        return await anyio.to_thread.run_sync(described)
    except (NotConfigured, ImportError) as problem:
        return UnavailableEmbedder(*_unavailable("embedder", settings.embedder_model, problem))


def reranking(settings: Settings) -> Reranking | None:
    """Return the configured reranker, or None. Raise NotConfigured for missing settings. The caller must close it."""
    from corpus.reranking import choose
    from corpus.reranking.reranking import Reranking

    model = choose(settings.reranker_choice())
    return None if model is None else Reranking(model, settings.reranker_candidates)


def usable_reranking(settings: Settings) -> Reranking | None:
    """Return the reranker for searches, or None. If it cannot be created, return a placeholder that fails at each
    query, so that the hits keep their order."""
    try:
        return reranking(settings)
    except NotConfigured as problem:
        from corpus.reranking.reranking import Reranking

        absent = UnavailableReranker(*_unavailable("reranker", settings.reranker_model, problem))
        return Reranking(absent, settings.reranker_candidates)


def _openai_token() -> Callable[[], Awaitable[str]]:
    """Return a provider of access tokens for Azure OpenAI. It uses the Azure identity of this process, and caches
    tokens until shortly before they expire."""
    cached: AccessToken | None = None

    async def token() -> str:
        nonlocal cached
        if cached is None or cached.expires_on < time.time() + 300:
            from azure.identity.aio import DefaultAzureCredential

            async with DefaultAzureCredential() as credential:
                cached = await credential.get_token(OPENAI_SCOPE)
        return cached.token

    return token


@asynccontextmanager
async def workshop(settings: Settings, *, create: bool = True) -> AsyncIterator[Workshop]:
    """Open the parts of an ingestion. Without `create`, raise NotConfigured if there is no local index yet."""
    from corpus.embedding import for_passages
    from corpus.index.local import LocalIndex
    from corpus.readers.ocr.engine import ENGINE, is_installed
    from corpus.readers.ocr.records import FILE, Records
    from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version

    passage_embedder = await usable_embedder(settings)
    missing = passage_embedder.reason if isinstance(passage_embedder, UnavailableEmbedder) else ""
    cores = max(os.cpu_count() or 1, 1)
    async with AsyncExitStack() as stack:
        if passage_embedder:
            stack.push_async_callback(passage_embedder.aclose)
        index = LocalIndex.open(
            settings.data_dir, passage_embedder, principal_prefixes=settings.principal_prefixes, create=create
        )
        stack.push_async_callback(index.aclose)
        file = settings.data_dir / FILE
        records = Records(file, ENGINE) if settings.ocr == "auto" and is_installed() else None
        reading = await stack.enter_async_context(
            ReadingProcesses(count=cores, records=file if settings.ocr == "auto" else None)
        )
        reader: Reading = reading
        version = reader_version()
        await fresh_prompts(settings, "document_summary", "figure_description")
        if model := by_model(settings):
            from corpus.ingestion.summaries import ModelReading

            stack.push_async_callback(model.generator.aclose)
            reader = ModelReading(reading, model, awaits_pictures=records is not None)
            version += model.mark
        by = None if missing else for_passages(passage_embedder, cores)
        if by and by is not passage_embedder:
            stack.push_async_callback(by.aclose)
        yield Workshop(index, reading, reader, by, READABLE, version, records, cores, missing)


def prompts(settings: Settings) -> Mapping[str, PromptText]:
    """Return every prompt by name. Raise NotConfigured if the prompts folder has become unusable."""
    try:
        texts = prompt_texts(settings.prompts_dir)
    except UnusablePrompt as error:
        raise NotConfigured(f"RAG_PROMPTS_DIR {error}.") from None
    return kept_prompts(settings) or texts


@lru_cache(maxsize=1)
def kept_prompts(settings: Settings) -> KeptPrompts | None:
    """Return the registry's prompts, which the entire process shares, or None if no registry is configured. Send
    nothing yet."""
    if not settings.langfuse_prompts:
        return None
    from server.prompt_registry import KeptPrompts, Langfuse

    public, secret = settings.langfuse_public_key or "", _plain(settings.langfuse_secret_key) or ""
    langfuse = Langfuse(settings.langfuse_base_url, public, secret)
    return KeptPrompts(prompt_texts(settings.prompts_dir), settings.langfuse_prompts, langfuse)


async def fresh_prompts(settings: Settings, *names: str) -> Mapping[str, PromptText]:
    """Refresh `names` from the registry, then return every prompt by name."""
    if kept := kept_prompts(settings):
        await kept.refresh(*names)
    return prompts(settings)


def text_generator(settings: Settings) -> TextGenerator | None:
    """Return the configured language model, or None. It sends nothing before its first prompt. The caller must close
    it.

    Raise NotConfigured for missing settings.
    """
    if not settings.llm_model:
        return None
    if settings.llm == "azure-openai":
        from corpus.generation.openai_generator import AzureChat

        azure_key = _plain(settings.azure_openai_api_key)
        return AzureChat(
            settings.llm_model, settings.azure_openai_endpoint or "", azure_key,
            deployment=settings.azure_openai_chat_deployment, api_version=settings.azure_openai_api_version,
            token=None if azure_key else _openai_token(),
        )  # fmt: skip
    from corpus.generation.openai_generator import ChatEndpoint

    return ChatEndpoint(settings.llm_model, settings.llm_base_url, _plain(settings.llm_api_key))


def usable_generator(settings: Settings) -> TextGenerator | None:
    """Return the language model for optional uses, or None. If it cannot be created, return a placeholder that fails at
    its first prompt."""
    try:
        return text_generator(settings)
    except NotConfigured as problem:
        return UnavailableGenerator(*_unavailable("model", settings.llm_model, problem))


def _unavailable(part: str, name: str | None, problem: Exception) -> tuple[str, str]:
    """Return the name of the placeholder for `part`, and the reason for it. Code that uses the placeholder reports a
    warning, so the reason is logged here only as info."""
    reason = str(problem)
    log.info("wiring.unavailable", part=part, name=name, reason=reason)
    return name or part, reason


def by_model(settings: Settings) -> ModelAdditions | None:
    """Return the part that adds model-written texts to documents, or None. If the model cannot be created, the first
    document that needs it ends the ingestion with NotConfigured; otherwise the document would count as complete."""
    wanted = settings.describe_figures or settings.model_summaries
    generator = usable_generator(settings) if wanted else None
    if generator is None:
        return None
    from corpus.ingestion.summaries import ModelAdditions
    from prompts.texts import document_summary, figure_description

    texts = prompts(settings)
    return ModelAdditions(
        generator,
        partial(figure_description, prompt=texts["figure_description"]) if settings.describe_figures else None,
        partial(document_summary, prompt=texts["document_summary"]) if settings.model_summaries else None,
    )


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def caller(settings: Settings) -> Caller:
    """Return the caller of the command line and of stdio."""
    return stdio_caller(settings)


def _import_what_is_heavy(backend: str) -> None:
    with gc_frozen():
        import corpus.embedding
        import corpus.library

        if backend == "azure":
            import corpus.index.azure
        else:
            import corpus.index.local  # noqa: F401
