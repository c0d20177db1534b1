"""Exchange a caller's token for one that Azure AI Search accepts, with azure-identity (OAuth 2.0 on-behalf-of flow)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from azure.core.exceptions import AzureError, ClientAuthenticationError

from corpus.errors import AccessDenied, AzureSearchError

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.identity.aio import OnBehalfOfCredential

AUDIENCE = "https://search.azure.com"
ASSERTION_SCOPE = "api://AzureADTokenExchange/.default"
MAX_CALLERS = 1000
"""Maximum number of callers whose exchanged tokens are cached; the least recently used one is dropped."""
SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Application:
    """The application that callers sign in to. If there is no secret, this process's Azure identity signs for the
    application, which must list that identity as a federated credential. `authority` is the host for a sovereign
    cloud."""

    tenant_id: str
    client_id: str
    secret: str | None = field(default=None, repr=False)
    authority: str | None = None


@dataclass
class _Exchange:
    credential: OnBehalfOfCredential
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class OnBehalfOf:
    """Exchanges tokens, and caches the results until they expire. `options` are passed to azure-identity's pipeline."""

    def __init__(self, application: Application, audience: str | None = None, **options: Any) -> None:
        self._application = application
        self._scope = f"{audience or AUDIENCE}/.default"
        self._options = options
        self._exchanges: OrderedDict[bytes, _Exchange] = OrderedDict()
        self._identity: AsyncTokenCredential | None = None
        self._assertion = ""

    async def token(self, caller_token: str | None) -> str:
        """Return a token that the service accepts for the caller. Raises AccessDenied if the caller's token is missing
        or refused, and AzureSearchError if the issuer cannot be reached."""
        if not caller_token:
            raise AccessDenied(
                "This index checks your own rights in Azure, and you did not sign in with a token of Entra ID.",
                hints=("Sign in through Entra ID, over HTTP.",),
            )
        try:
            with anyio.fail_after(SECONDS):
                await self._sign()
                exchange = await self._exchange(caller_token)
                async with exchange.lock:
                    return (await exchange.credential.get_token(self._scope)).token
        except (AzureError, TimeoutError) as error:
            if isinstance(error, ClientAuthenticationError) and (error.status_code or 400) < 429:
                raise AccessDenied(
                    "Entra ID did not exchange your token for one of Azure AI Search.",
                    hints=("Sign in again. For the operator: RAG_AZURE_ON_BEHALF_OF in docs/azure.md.",),
                ) from error
            raise AzureSearchError(
                "Entra ID could not be reached to exchange your token.", hints=("The same can work in a moment.",)
            ) from error

    async def aclose(self) -> None:
        """Close the connections and forget the tokens."""
        while self._exchanges:
            await self._exchanges.popitem()[1].credential.close()
        if self._identity:
            await self._identity.close()

    async def _exchange(self, caller_token: str) -> _Exchange:
        key = hashlib.sha256(caller_token.encode()).digest()
        exchange = self._exchanges.get(key)
        if exchange is None:
            exchange = self._exchanges[key] = _Exchange(self._credential(caller_token))
        self._exchanges.move_to_end(key)
        if len(self._exchanges) > MAX_CALLERS:
            await self._exchanges.popitem(last=False)[1].credential.close()
        return exchange

    def _credential(self, caller_token: str) -> OnBehalfOfCredential:
        from azure.identity.aio import OnBehalfOfCredential

        application = self._application
        by_identity = None if application.secret else lambda: self._assertion
        return OnBehalfOfCredential(
            application.tenant_id, application.client_id, client_secret=application.secret,
            client_assertion_func=by_identity, user_assertion=caller_token, authority=application.authority,
            **self._options,
        )  # fmt: skip

    async def _sign(self) -> None:
        """Renew the assertion of this process's identity. azure-identity caches it until it expires."""
        if not self._application.secret:
            if self._identity is None:
                from corpus.index.azure.service.clients import identity

                self._identity = identity()
            self._assertion = (await self._identity.get_token(ASSERTION_SCOPE)).token
