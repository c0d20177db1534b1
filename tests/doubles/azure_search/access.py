"""Access control of the emulator."""

from __future__ import annotations

from collections.abc import Mapping

from tests.doubles.azure_search.errors import Refused

READS = frozenset({"search", "lookup", "count", "retrieve"})
"""Operations that a query key or a reader may use."""


class Access:
    """Access control. `tokens` maps each accepted bearer token to `reader` or to `contributor`, who may do
    everything."""

    def __init__(self, admin_key: str, query_key: str) -> None:
        self._keys = {admin_key: "contributor", query_key: "reader"}
        self.tokens: dict[str, str] = {}

    def check(self, headers: Mapping[str, str], operation: str) -> None:
        """Check the credential; a key takes precedence over a token. A missing credential is 401. A wrong one, or one
        without the right, is 403."""
        key, bearer = headers.get("api-key"), headers.get("Authorization", "")
        if key is None and not bearer:
            raise Refused(401)
        role = self._keys.get(key) if key is not None else self.tokens.get(bearer.removeprefix("Bearer "))
        if role is None or (role == "reader" and operation not in READS):
            raise Refused(403, "Authorization failed.")
