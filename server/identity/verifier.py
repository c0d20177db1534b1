"""The SDK's verifier of bearer tokens: API keys and tokens of the issuer."""

from __future__ import annotations

import structlog
from mcp.server.auth.provider import AccessToken, TokenVerifier

from server.identity.api_keys import BEGINS, ApiKeys
from server.identity.tokens import Refused, Tokens

log = structlog.stdlib.get_logger("ibid")


class BearerVerifier(TokenVerifier):
    """Logs why a token is refused. Its sender does not learn it."""

    def __init__(self, tokens: Tokens | None, keys: ApiKeys | None) -> None:
        self._tokens, self._keys = tokens, keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """See `TokenVerifier`."""
        try:
            # An issuer's token has two dots and an API key none, so they cannot be confused.
            if token.startswith(BEGINS):
                return self._keys.admitted(token) if self._keys else None
            return await self._tokens.admitted(token) if self._tokens else None
        except Refused as error:
            log.info("identity.refused", reason=str(error))
            return None
