"""Clients of the package openai, each opened at the first call and closed with its owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from corpus.errors import IbidError, NotConfigured

if TYPE_CHECKING:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

Token = Callable[[], Awaitable[str]]
Open = Callable[[], "AsyncOpenAI"]


LONGEST_ANSWER = 256 << 20
"""Bytes: far more than any batch of vectors."""


def openai_client(base_url: str, key: str | None, *, most: int = LONGEST_ANSWER) -> Open:
    """Without a key none is sent by those who leave the header out. `most` bounds an answer, in bytes."""

    def opened() -> AsyncOpenAI:
        import openai

        # No retries of its own: it would wait for two minutes when a service asks for them.
        return openai.AsyncOpenAI(
            base_url=base_url, api_key=key or "none", max_retries=0, timeout=600, http_client=_http(most)
        )

    return opened


def azure_client(
    endpoint: str, deployment: str, api_version: str, key: str | None, token: Token | None, key_setting: str,
    *, most: int = LONGEST_ANSWER,
) -> Open:  # fmt: skip
    """Signs in with the key, or else with the tokens of an identity. `most` bounds an answer, in bytes.

    Raises NotConfigured where there is neither key nor token.
    """
    if key is None and token is None:
        raise NotConfigured(f"{key_setting} is not set, and there is no Azure identity to sign in with.")

    def opened() -> AsyncOpenAI:
        import openai

        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint, azure_deployment=deployment, api_version=api_version, api_key=key,
            azure_ad_token_provider=None if key or token is None else _signing(token, endpoint, key_setting),
            max_retries=0, timeout=600, http_client=_http(most),
        )  # fmt: skip

    return opened


class LazyClient:
    """`open` is called once, with the first `get`; after `aclose` a later call opens it again."""

    def __init__(self, open_: Open, *, imports: str) -> None:
        """`imports` is a module that is wanted with the client; importing takes most of a second."""
        self._open, self._imports = open_, imports
        self._opening = anyio.Lock()
        self._client: AsyncOpenAI | None = None

    async def get(self) -> AsyncOpenAI:
        async with self._opening:
            if self._client is None:
                # In a thread: others are served meanwhile.
                self._client = await anyio.to_thread.run_sync(self._imported_and_opened)
            return self._client

    async def aclose(self) -> None:
        async with self._opening:
            client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _imported_and_opened(self) -> AsyncOpenAI:
        import_module(self._imports)
        client = self._open()
        # It takes these from the environment and would send them to any service.
        client.organization = client.project = None
        return client


def _http(most: int) -> DefaultAsyncHttpxClient:
    from corpus.services.bounded import bounded_http

    return bounded_http(most)


def _signing(token: Token, endpoint: str, key_setting: str) -> Token:
    """The tokens; what hinders them is told as what the operator can do."""

    async def signed() -> str:
        try:
            return await token()
        except IbidError:
            raise
        except Exception as error:
            host = endpoint.rsplit("//", maxsplit=1)[-1].rstrip("/")
            raise NotConfigured(
                f"No Azure identity could be used to sign in to {host}. Set {key_setting}, or sign in: `az login`, a "
                "managed identity, or AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET."
            ) from error

    return signed
