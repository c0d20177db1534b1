"""Clients from the openai package, opened at the first call and closed with their owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from corpus.errors import IbidError, NotConfigured
from corpus.model_services.service import Service, usable_key

if TYPE_CHECKING:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

Token = Callable[[], Awaitable[str]]
Open = Callable[[], "AsyncOpenAI"]


MAX_ANSWER_BYTES = 256 << 20
"""Maximum size of a response in bytes. 128 vectors of 3,072 numbers need less than 10 MB in decimal JSON, so no valid
response comes near the limit."""


def openai_client(base_url: str, key: str | None, *, max_bytes: int = MAX_ANSWER_BYTES) -> Open:
    """Return a function that opens a client. If there is no key, the caller must omit the Authorization header.

    `max_bytes` is the maximum size of one response."""

    def open_client() -> AsyncOpenAI:
        import openai

        # We retry ourselves, because openai would wait for two minutes if a service asked for that.
        return openai.AsyncOpenAI(
            base_url=base_url, api_key=key or "none", max_retries=0, timeout=600, http_client=_http(max_bytes)
        )

    return open_client


def azure_client(
    endpoint: str, deployment: str, api_version: str, key: str | None, token: Token | None, key_setting: str,
    *, max_bytes: int = MAX_ANSWER_BYTES,
) -> Open:  # fmt: skip
    """Return a function that opens an Azure client with an API key or with identity tokens.

    `max_bytes` is the maximum size of one response. Raises NotConfigured if there is neither a key nor a token
    function.
    """
    if key is None and token is None:
        raise NotConfigured(f"{key_setting} is not set, and there is no Azure identity to sign in with.")

    def open_client() -> AsyncOpenAI:
        import openai

        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint, azure_deployment=deployment, api_version=api_version, api_key=key,
            azure_ad_token_provider=None if key or token is None else _with_advice(token, endpoint, key_setting),
            max_retries=0, timeout=600, http_client=_http(max_bytes),
        )  # fmt: skip

    return open_client


class LazyClient:
    """Opens the client at the first `get`, and again at the first `get` after `aclose`."""

    def __init__(self, open_: Open, *, imports: str) -> None:
        """Initialise the client. `imports` is a module to import when the client is opened, because importing openai
        takes most of a second."""
        self._open, self._imports = open_, imports
        self._opening = anyio.Lock()
        self._client: AsyncOpenAI | None = None

    async def get(self) -> AsyncOpenAI:
        """Return the client, and open it if needed. Raises the same errors as opening it."""
        async with self._opening:
            if self._client is None:
                # In a thread, so that the event loop can serve others in the meantime.
                self._client = await anyio.to_thread.run_sync(self._import_and_open)
            return self._client

    async def aclose(self) -> None:
        """Close the client's connections."""
        async with self._opening:
            client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _import_and_open(self) -> AsyncOpenAI:
        import_module(self._imports)
        client = self._open()
        # openai reads these from the environment, and would send them to any service.
        client.organization = client.project = None
        return client


def _http(max_bytes: int) -> DefaultAsyncHttpxClient:
    from corpus.model_services.bounded_http import bounded_http

    return bounded_http(max_bytes)


def _with_advice(token: Token, endpoint: str, key_setting: str) -> Token:
    """Return the token function, changed to raise NotConfigured with advice for the operator if it fails."""

    async def token_or_advice() -> str:
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

    return token_or_advice


_KEY, _ADDRESS = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"


def azure_service(
    endpoint: str, deployment: str, api_version: str, api_key: str | None, token: Token | None, *,
    setting: str, refused: str, gives: str, are_none: str, max_bytes: int = MAX_ANSWER_BYTES,
) -> Service:  # fmt: skip
    """Describe a deployment that is called with an API key or with identity tokens.

    `setting` is the name of the setting for the deployment; `max_bytes` is the maximum size of one response. Raises
    NotConfigured if there is neither a key nor a token function.
    """
    key = usable_key(api_key, _KEY)
    return Service(
        address=endpoint,
        model=deployment,
        open=azure_client(endpoint, deployment, api_version, key, token, _KEY, max_bytes=max_bytes),
        what=f"the deployment {deployment}",
        address_setting=_ADDRESS,
        model_setting=setting,
        not_admitted=f"did not accept the {f'key. Check {_KEY}' if key else f'token. {_ROLE}'}.",
        not_allowed=f"does not allow this. {f'Check {_KEY}' if key else _ROLE}; its firewall must admit this machine.",
        not_there=f"has no deployment {deployment}, or not with API version {api_version}. Check {setting}, "
        f"{_ADDRESS} and AZURE_OPENAI_API_VERSION; a new deployment takes minutes to appear.",
        refused=refused,
        gives=gives,
        are_none=are_none,
    )
