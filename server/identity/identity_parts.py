"""From the settings to what a server needs to know who asks: tokens of an issuer, keys of our own, or both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import anyio
from anyio.abc import TaskGroup
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings

from corpus.access import Caller
from corpus.errors import AccessDenied
from server.identity.api_keys import BEGINS, ApiKeys
from server.identity.claims import Meaning
from server.identity.entra import issuers, metadata_names, scope_to_ask_for
from server.identity.issuer_keys import IssuerKeys
from server.identity.tokens import Rules, Tokens
from server.identity.verified_caller import Admitted, Unknown
from server.identity.verifier import BearerVerifier
from server.settings.model import Settings

__all__ = ["Identity", "identity"]


@dataclass(frozen=True, slots=True)
class Identity:
    """`auth` and `verifier` are for the SDK, `keys` for whoever tries the issuer."""

    auth: AuthSettings
    verifier: TokenVerifier
    keys: IssuerKeys | None = None
    hands_on_tokens: bool = False
    """Whether a caller carries what they signed in with, for an index that knows permissions itself."""

    def caller(self) -> Caller:
        """Of the request at hand. Raises AccessDenied where it has none, or what it came with holds no longer."""
        token = get_access_token()
        if not isinstance(token, Admitted):
            raise AccessDenied("The request has no identity.")
        if not token.holds():
            raise AccessDenied("What you signed in with has expired or been withdrawn. Sign in again.")
        if isinstance(token.who, Unknown):
            raise AccessDenied(token.who.reason, hints=token.who.hints)
        # A key of ours says nothing to another service.
        handed = self.hands_on_tokens and not token.token.startswith(BEGINS)
        return replace(token.who, token=token.token) if handed else token.who


@asynccontextmanager
async def identity(settings: Settings, public_url: str) -> AsyncIterator[Identity | None]:
    """None where the settings name neither an issuer nor a file of keys. Raises NotConfigured for what is not sound.

    Nothing is asked of the issuer before the first token. `public_url` is the endpoint, and names it in the metadata
    that tells clients where to get tokens.
    """
    if settings.auth_issuer is None and settings.api_keys is None:
        yield None
        return
    scope = _scope(settings)
    keys = ApiKeys(settings.api_keys, scope) if settings.api_keys else None
    async with anyio.create_task_group() as tasks:
        asked = issuer_keys(settings, tasks) if settings.auth_issuer else None
        tokens = Tokens(rules(settings), asked) if asked else None
        hands_on = settings.backend == "azure" and settings.azure_caller_token
        yield Identity(_auth(settings, public_url, scope), BearerVerifier(tokens, keys), asked, hands_on)
        tasks.cancel_scope.cancel()


def issuer_keys(settings: Settings, tasks: TaskGroup) -> IssuerKeys:
    """Of the issuer that the settings name."""
    issuer = settings.auth_issuer or ""
    names = metadata_names(issuer) if settings.auth_preset == "entra" else {issuer}
    return IssuerKeys(issuer, names, settings.auth_jwks_url, tasks)


def rules(settings: Settings) -> Rules:
    """For the tokens of the issuer that the settings name."""
    issuer, entra = settings.auth_issuer or "", settings.auth_preset == "entra"
    return Rules(
        issuers=issuers(issuer, settings.auth_tenants) if entra else frozenset({issuer}),
        audiences=_audiences(settings),
        algorithms=settings.algorithms,
        scope=_scope(settings),
        leeway=settings.auth_leeway,
        one_tenant_each=entra,
        roles_are_scopes=entra,
        meaning=Meaning(
            settings.user_claim, settings.groups_claims, settings.auth_department_claim, settings.org_claim
        ),
    )


def _auth(settings: Settings, public_url: str, scope: str) -> AuthSettings:
    facts = {
        # Without an issuer nothing is told of one: the SDK wants some address, and publishes it only beside a resource.
        "issuer_url": settings.auth_issuer or public_url,
        "resource_server_url": public_url if settings.auth_issuer else None,
        "required_scopes": [scope],
        # Ours checks the audience: that of Entra ID is the application's id, which is no address.
        "validate_token_resource": False,
    }
    return AuthSettings.model_validate(facts)  # addresses as texts stay as they are, by the letter


def _audiences(settings: Settings) -> tuple[str, ...]:
    return settings.auth_audience or ((settings.http_public_url,) if settings.http_public_url else ())


def _scope(settings: Settings) -> str:
    if settings.auth_issuer is None or settings.auth_preset != "entra":
        return settings.auth_scope
    return scope_to_ask_for(settings.auth_scope, _audiences(settings)[0])
