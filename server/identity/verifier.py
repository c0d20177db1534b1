"""The one verifier that the SDK asks about every bearer token, whichever way callers are known."""

from __future__ import annotations

import structlog
from mcp.server.auth.provider import AccessToken, TokenVerifier

from server.identity.api_keys import BEGINS, ApiKeys
from server.identity.tokens import Refused, Tokens

log = structlog.stdlib.get_logger("ibid")


class BearerVerifier(TokenVerifier):
    """Why a token is refused goes to the log; whoever sent it learns nothing."""

    def __init__(self, tokens: Tokens | None, keys: ApiKeys | None) -> None:
        self._tokens, self._keys = tokens, keys

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            # A token of an issuer has two dots and a key of ours none, so neither is taken for the other.
            if token.startswith(BEGINS):
                return self._keys.admitted(token) if self._keys else None
            return await self._tokens.admitted(token) if self._tokens else None
        except Refused as error:
            log.info("identity.refused", reason=str(error))
            return None
