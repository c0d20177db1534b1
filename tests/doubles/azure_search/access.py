"""Who may do what."""

from __future__ import annotations

from collections.abc import Mapping

from tests.doubles.azure_search.errors import Refused

READS = frozenset({"search", "lookup", "count", "retrieve"})
"""All that a query key or a reader may do."""


class Access:
    """`tokens` maps each bearer token that is accepted to `reader` or `contributor`, who may do everything."""

    def __init__(self, admin_key: str, query_key: str) -> None:
        self._keys = {admin_key: "contributor", query_key: "reader"}
        self.tokens: dict[str, str] = {}

    def check(self, headers: Mapping[str, str], operation: str) -> None:
        """A key counts before a token. No credential is 401; a wrong one, or one that may not do this, is 403."""
        key, bearer = headers.get("api-key"), headers.get("Authorization", "")
        if key is None and not bearer:
            raise Refused(401)
        role = self._keys.get(key) if key is not None else self.tokens.get(bearer.removeprefix("Bearer "))
        if role is None or (role == "reader" and operation not in READS):
            raise Refused(403, "Authorization failed.")
