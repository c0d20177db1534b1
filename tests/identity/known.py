"""The verifier of a server with some settings, called directly."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from server.identity.identity_parts import Identity, identity
from server.identity.verified_caller import Admitted
from server.settings.model import Settings

URL = "https://ibid.example.org/mcp"


@asynccontextmanager
async def known(variables: Mapping[str, str]) -> AsyncIterator[Identity]:
    async with identity(Settings(**variables), URL) as found:  # type: ignore[arg-type]
        assert found is not None
        yield found


async def admitted(found: Identity, token: str) -> Admitted | None:
    """Return the caller of the token, or None if it is refused."""
    token_facts = await found.verifier.verify_token(token)
    assert token_facts is None or isinstance(token_facts, Admitted)
    return token_facts
