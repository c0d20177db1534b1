"""Build the identity of callers from the settings: tokens of an issuer, API keys, or both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import structlog
from anyio.abc import TaskGroup
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings

from corpus.access import Caller
from corpus.errors import AccessDenied
from server.identity.api_keys import BEGINS, ApiKeys
from server.identity.claims import Meaning
from server.identity.entra import issuers, metadata_names, scope_to_ask_for
from server.identity.issuer_keys import IssuerKeys
from server.identity.tokens import Refused, Rules, Tokens
from server.identity.verified_caller import Admitted, Unknown
from server.settings.model import Settings

log = structlog.stdlib.get_logger("ibid")


class BearerVerifier(TokenVerifier):
    """A verifier that logs why it refuses a token. The reason is not sent to the client."""

    def __init__(self, tokens: Tokens | None, keys: ApiKeys | None) -> None:
        self._tokens, self._keys = tokens, keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """See `TokenVerifier`."""
        try:
            # An issuer's token contains two dots, and an API key contains none, so the two cannot be confused.
            if token.startswith(BEGINS):
                return self._keys.admitted(token) if self._keys else None
            return await self._tokens.admitted(token) if self._tokens else None
        except Refused as error:
            log.info("identity.refused", reason=str(error))
            return None


@dataclass(frozen=True, slots=True)
class Identity:
    """The configured identity. `auth` and `verifier` are for the SDK, and `keys` is for `ibid doctor`."""

    auth: AuthSettings
    verifier: TokenVerifier
    keys: IssuerKeys | None = None

    def caller(self) -> Caller:
        """Return the caller of the current request. Raise AccessDenied if the request has no caller, or if the
        credentials have expired or been revoked."""
        token = get_access_token()
        if not isinstance(token, Admitted):
            raise AccessDenied("The request has no identity.")
        if not token.holds():
            raise AccessDenied("Your credentials have expired or been revoked. Sign in again.")
        if isinstance(token.who, Unknown):
            raise AccessDenied(token.who.reason, hints=token.who.hints)
        return token.who


@asynccontextmanager
async def identity(settings: Settings, public_url: str) -> AsyncIterator[Identity | None]:
    """Return the configured identity, or None if the settings contain neither an issuer nor API keys. Raise
    NotConfigured if the configuration is invalid.

    The issuer is not contacted before the first token. `public_url` is the address of the MCP endpoint. It is published
    in the metadata that tells clients where to get tokens.
    """
    if settings.auth_issuer is None and settings.api_keys is None:
        yield None
        return
    scope = _scope(settings)
    keys = ApiKeys(settings.api_keys, scope) if settings.api_keys else None
    async with anyio.create_task_group() as tasks:
        issuer = issuer_keys(settings, tasks) if settings.auth_issuer else None
        tokens = Tokens(rules(settings), issuer) if issuer else None
        yield Identity(_auth(settings, public_url, scope), BearerVerifier(tokens, keys), issuer)
        tasks.cancel_scope.cancel()


def issuer_keys(settings: Settings, tasks: TaskGroup) -> IssuerKeys:
    """Return the keys of the configured issuer."""
    issuer = settings.auth_issuer or ""
    names = metadata_names(issuer) if settings.auth_preset == "entra" else {issuer}
    return IssuerKeys(issuer, names, settings.auth_jwks_url, tasks)


def rules(settings: Settings) -> Rules:
    """Return the rules for tokens of the configured issuer."""
    issuer, entra = settings.auth_issuer or "", settings.auth_preset == "entra"
    return Rules(
        issuers=issuers(issuer, settings.auth_tenants) if entra else frozenset({issuer}),
        audiences=_audiences(settings),
        algorithms=settings.algorithms,
        scope=_scope(settings),
        leeway=settings.auth_leeway,
        one_tenant_each=entra,
        roles_are_scopes=entra,
        keeps_tokens=settings.sends_caller_tokens,
        meaning=Meaning(
            settings.user_claim, settings.groups_claims, settings.auth_department_claim, settings.org_claim
        ),
    )


def _auth(settings: Settings, public_url: str, scope: str) -> AuthSettings:
    facts = {
        # The SDK requires an issuer URL, but publishes it only together with a resource.
        "issuer_url": settings.auth_issuer or public_url,
        "resource_server_url": public_url if settings.auth_issuer else None,
        "required_scopes": [scope],
        # `Tokens` checks the audience: in Entra ID it is the application's id, not a URL.
        "validate_token_resource": False,
    }
    return AuthSettings.model_validate(facts)  # URLs passed as str stay unchanged


def _audiences(settings: Settings) -> tuple[str, ...]:
    return settings.auth_audience or ((settings.http_public_url,) if settings.http_public_url else ())


def _scope(settings: Settings) -> str:
    if settings.auth_issuer is None or settings.auth_preset != "entra":
        return settings.auth_scope
    return scope_to_ask_for(settings.auth_scope, _audiences(settings)[0])
