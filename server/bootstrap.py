"""Create the parts that the settings choose: index, embedder, reading processes, library. Nothing else does.

Everything heavy is imported inside the functions: a server introduces itself before any of it is loaded.
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
    from corpus.index.local import LocalIndex
    from corpus.ingestion.model_additions import ModelAdditions
    from corpus.library import Library
    from corpus.readers.ocr.records import Records
    from corpus.readers.protocol import Reading
    from corpus.readers.sandbox.pool import ReadingProcesses
    from corpus.reranking.reranking import Reranking
    from corpus.synthesis.model_judge import ModelJudge
    from corpus.synthesis.writer import Pen
    from server.registry import KeptPrompts

log = structlog.stdlib.get_logger("ibid")

OPENAI_SCOPE = "https://cognitiveservices.azure.com/.default"


@dataclass(frozen=True, slots=True)
class Workshop:
    """What an ingestion works with. `reading` shows pages too, `reader` is what documents are taken in by, `embedder`
    what makes vectors of passages, and `records` what keeps what text recognition reads, None where that is off.
    `no_vectors` says why no vectors can be made although an embedder is set, empty otherwise."""

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
    """Gives the library, opened at the first call; one for all callers. `of_many` says that there may be several."""

    def __init__(self, settings: Settings, *, of_many: bool = False) -> None:
        self._settings, self._of_many = settings, of_many
        self._opening = anyio.Lock()
        self._open = AsyncExitStack()
        self._library: Library | None = None

    async def __call__(self) -> Library:
        """Raises NotConfigured or InternalError where the index cannot be opened; the next call tries again."""
        async with self._opening:
            if self._library is None:
                # In a thread, so that the client's other requests are answered meanwhile.
                await anyio.to_thread.run_sync(_import_what_is_heavy, self._settings.backend)
                self._library = await self._open.enter_async_context(
                    library(self._settings, of_many=self._of_many)
                )
        return self._library

    async def warm(self) -> None:
        """Load what the first search needs: the engines, the vectors, the model of the embedder."""
        await (await self()).search("ready", ANONYMOUS, top_k=1)

    async def aclose(self) -> None:
        await self._open.aclose()


@asynccontextmanager
async def library(
    settings: Settings, *, of_many: bool = False, create: bool = True
) -> AsyncIterator[Library]:
    """Open the library over the index in force, and close at the end what it opened.

    Where it answers `of_many` callers, none of them is told how many files are read. Without `create`, raises
    NotConfigured where there is no local index yet.
    """
    from corpus.library import Library, no_url
    from corpus.page_label import PageWords
    from server.folder_sync.ingestion_status import progress_notes, reading_notes

    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(pen(settings))
        again = usable_reranking(settings)
        if again is not None:
            stack.push_async_callback(again.aclose)
        if settings.backend == "azure":
            from corpus.readers.sandbox.pool import ReadingProcesses

            index = await stack.enter_async_context(azure_index(settings))
            # No process starts before a picture must be made to fit.
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
    """What writes answers: the configured model, if there is one, and how it is told to. Nothing is sent yet."""
    from corpus.embedding.packaged import shared_embedder, token_count
    from corpus.synthesis.writer import Pen
    from server.registry import LiveInstructions

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
    from prompts.verification_prompts import claim_check

    return ModelJudge(endpoint, claim_check(prompt), settings.verifier_seconds)


@asynccontextmanager
async def azure_index(settings: Settings) -> AsyncIterator[AzureIndex]:
    """The indexes of the service that the settings name. Nothing is sent before the first question."""
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
    )
    async with AsyncExitStack() as stack:
        model = await usable_embedder(settings)
        if model:
            stack.push_async_callback(model.aclose)
        queries = CachedQueries(model) if model else None
        yield await stack.enter_async_context(AzureIndex(place, queries))


def azure_service(settings: Settings, *, role: str = READER, key_kind: str = "a key") -> Service:
    """Raises NotConfigured without an endpoint; its text names the role or the kind of key for what is to be done."""
    from corpus.index.azure import Service

    if not settings.azure_search_endpoint:
        raise NotConfigured(f"AZURE_SEARCH_ENDPOINT is not set. Set it, {set_up(role, key_kind)}.")
    key = settings.azure_search_api_key
    return Service(
        settings.azure_search_endpoint,
        key.get_secret_value() if key else None,
        settings.azure_search_audience,
    )


def picture_container(settings: Settings) -> Container | None:
    """The private container of the pictures of an Azure index, where the settings name one."""
    from corpus.index.azure.pictures import Container

    url, key = settings.azure_storage_container_url, settings.azure_storage_account_key
    return Container(url.get_secret_value(), _plain(key)) if url else None


def azure_wishes(settings: Settings) -> Wishes:
    """What the settings say of the content index."""
    from corpus.index.azure import Wishes

    return Wishes(
        settings.azure_vector_fields,
        settings.azure_semantic_config,
        settings.azure_embedder,
        settings.azure_knowledge_base,
    )


def embedder(settings: Settings) -> Embedder | None:
    """The one that the settings name; nothing heavy is loaded yet. Raises NotConfigured for what it lacks."""
    from corpus.embedding import choose

    signs_in = settings.embedder == "azure-openai" and not settings.azure_openai_api_key
    return choose(settings.choice(_openai_token() if signs_in else None))


async def usable_embedder(settings: Settings) -> Embedder | None:
    """The same for searches: an embedder that cannot be made fails at each query, which then goes by words."""

    def described() -> Embedder | None:
        made = embedder(settings)
        if made:
            # fastembed's models know these only once it is imported and has looked into the folder.
            _ = made.id, made.dimensions
        return made

    try:
        return await anyio.to_thread.run_sync(described)
    except (NotConfigured, ImportError) as problem:
        return UnavailableEmbedder(*_unavailable("embedder", settings.embedder_model, problem))


def reranking(settings: Settings) -> Reranking | None:
    """What looks at the best hits once more; None where the settings name nothing. Raises NotConfigured for what it
    lacks. The caller closes it."""
    from corpus.reranking import choose
    from corpus.reranking.reranking import Reranking

    model = choose(settings.reranker_choice())
    return None if model is None else Reranking(model, settings.reranker_candidates)


def usable_reranking(settings: Settings) -> Reranking | None:
    """The same for searches: a reranker that cannot be made fails at each query, whose hits then keep their order."""
    try:
        return reranking(settings)
    except NotConfigured as problem:
        from corpus.reranking.reranking import Reranking

        absent = UnavailableReranker(*_unavailable("reranker", settings.reranker_model, problem))
        return Reranking(absent, settings.reranker_candidates)


def _openai_token() -> Callable[[], Awaitable[str]]:
    """Tokens for Azure OpenAI of whoever this process is in Azure; one is kept until shortly before it ends."""
    held: AccessToken | None = None

    async def token() -> str:
        nonlocal held
        if held is None or held.expires_on < time.time() + 300:
            from azure.identity.aio import DefaultAzureCredential

            async with DefaultAzureCredential() as credential:
                held = await credential.get_token(OPENAI_SCOPE)
        return held.token

    return token


@asynccontextmanager
async def workshop(settings: Settings, *, create: bool = True) -> AsyncIterator[Workshop]:
    """Open what an ingestion works with. Without `create`, raises NotConfigured where there is no local index yet."""
    from corpus.embedding import for_passages
    from corpus.index.local import LocalIndex
    from corpus.ingestion.model_additions import ModelReading
    from corpus.readers.ocr.engine_choice import ENGINE, is_installed
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
            from corpus.ingestion.model_additions import ModelReading

            stack.push_async_callback(model.generator.aclose)
            reader = ModelReading(reading, model, awaits_pictures=records is not None)
            version += model.mark
        by = None if missing else for_passages(passage_embedder, cores)
        if by and by is not passage_embedder:
            stack.push_async_callback(by.aclose)
        yield Workshop(index, reading, reader, by, READABLE, version, records, cores, missing)


def prompts(settings: Settings) -> Mapping[str, PromptText]:
    """Every prompt by its name. Raises NotConfigured where the folder has changed to one that cannot be used."""
    try:
        texts = prompt_texts(settings.prompts_dir)
    except UnusablePrompt as error:
        raise NotConfigured(f"RAG_PROMPTS_DIR {error}.") from None
    return kept_prompts(settings) or texts


@lru_cache(maxsize=1)
def kept_prompts(settings: Settings) -> KeptPrompts | None:
    """Those that a registry keeps, one of them for a process; None where it keeps none. Nothing is sent yet."""
    if not settings.langfuse_prompts:
        return None
    from server.registry import KeptPrompts
    from server.registry.langfuse import Langfuse

    public, secret = settings.langfuse_public_key or "", _plain(settings.langfuse_secret_key) or ""
    langfuse = Langfuse(settings.langfuse_base_url, public, secret)
    return KeptPrompts(prompt_texts(settings.prompts_dir), settings.langfuse_prompts, langfuse)


async def fresh_prompts(settings: Settings, *names: str) -> Mapping[str, PromptText]:
    """Every prompt, these as their registry has them now, if it keeps them."""
    if kept := kept_prompts(settings):
        await kept.refresh(*names)
    return prompts(settings)


def text_generator(settings: Settings) -> TextGenerator | None:
    """The model that writes; None where none is named. Nothing is sent before its first prompt. The caller closes it.

    Raises NotConfigured for what it lacks.
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
    """The same where others work without it: a model that cannot be made fails at its first prompt."""
    try:
        return text_generator(settings)
    except NotConfigured as problem:
        return UnavailableGenerator(*_unavailable("model", settings.llm_model, problem))


def _unavailable(part: str, name: str | None, problem: Exception) -> tuple[str, str]:
    """What a stand-in is called and why it stands in. Whoever uses it is warned, so the log merely notes it."""
    reason = str(problem)
    log.info("wiring.unavailable", part=part, name=name, reason=reason)
    return name or part, reason


def by_model(settings: Settings) -> ModelAdditions | None:
    """What the settings want a model to add to documents. Where the model cannot be made, the first document that needs
    it ends the ingestion with NotConfigured: read without the additions, it would count as read."""
    wanted = settings.describe_figures or settings.model_summaries
    generator = usable_generator(settings) if wanted else None
    if generator is None:
        return None
    from corpus.ingestion.model_additions import ModelAdditions
    from prompts.ingestion_prompts import document_summary, figure_description

    texts = prompts(settings)
    return ModelAdditions(
        generator,
        partial(figure_description, prompt=texts["figure_description"])
        if settings.describe_figures
        else None,
        partial(document_summary, prompt=texts["document_summary"]) if settings.model_summaries else None,
    )


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def caller(settings: Settings) -> Caller:
    """Who asks on the command line and over stdio."""
    return stdio_caller(settings)


def _import_what_is_heavy(backend: str) -> None:
    with gc_frozen():
        import corpus.embedding
        import corpus.library

        if backend == "azure":
            import corpus.index.azure
        else:
            import corpus.index.local  # noqa: F401
