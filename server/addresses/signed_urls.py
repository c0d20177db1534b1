"""Pictures in a private container, addressed by signatures that open one picture for some minutes.

Inside every other middleware that writes addresses: what is not signed here is left to them.
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
    """A middleware of MCP."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf) -> None:
        super().__init__(self._signed)
        self._library, self._caller_of = library, caller_of

    async def _signed(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """Of those pictures that the caller may read at this moment, whatever the answer was made of."""
        block_ids = picture_ids(addresses)
        try:
            library, caller = await self._library(), self._caller_of()
            signed = await library.picture_addresses(sorted(set(block_ids.values())), caller)
        except IbidError as error:  # the answer stands, with resources of this server
            log.warning("pictures.unsigned", reason=str(error), outcome=error.type)
            return {}
        return {address: signed[block_id] for address, block_id in block_ids.items() if block_id in signed}
