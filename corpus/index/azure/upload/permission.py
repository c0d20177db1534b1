"""Whether a credential may do what an upload asks of it, found out before anything else is said of the index."""

from __future__ import annotations

import secrets

from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.connection import Connection
from corpus.index.azure.failures import status_of
from corpus.index.azure.fields import BLOCK_KEY


async def check_credential(connection: Connection, content: str, *, write: bool) -> None:
    """Raises NotConfigured for a credential that may not read the index or, with `write`, not upload to it.

    Whoever may see how the index is made mostly may do both. Others are tried: with a search, or with the removal of a
    row that is not there.
    """
    if await connection.definition(content) is not None:
        return
    try:
        if write:
            await connection.delete(content, BLOCK_KEY, [f"none-{secrets.token_hex(8)}"])
        else:
            await connection.search(content, top=0, filter=None)
    except AzureSearchError as error:
        if status_of(error) not in (401, 403):
            raise
        text = f"This credential may not write into index {content}."
        raise NotConfigured(text if write else str(error), hints=error.hints[:2]) from error
