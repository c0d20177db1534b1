"""Sign URLs of pictures in a private container. A signature opens one picture for some minutes.

This middleware runs inside the others that rewrite URIs, and leaves unsigned ones to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog

from corpus.errors import IbidError
from server.addresses.rewrite import Addresses, picture_ids
from tools.protocol import CallerOf, LibraryOf

log = structlog.stdlib.get_logger("ibid")


class SignedAddresses(Addresses):
    """MCP middleware that replaces picture URIs by signed URLs."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf) -> None:
        super().__init__(self._signed)
        self._library, self._caller_of = library, caller_of

    async def _signed(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """Signed URLs of the pictures that the caller may read now."""
        block_ids = picture_ids(addresses)
        try:
            library, caller = await self._library(), self._caller_of()
            signed = await library.picture_addresses(sorted(set(block_ids.values())), caller)
        except IbidError as error:  # the answer keeps its resource URIs
            log.warning("pictures.unsigned", reason=str(error), outcome=error.type)
            return {}
        return {address: signed[block_id] for address, block_id in block_ids.items() if block_id in signed}
