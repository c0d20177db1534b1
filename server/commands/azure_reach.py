"""Check that the service answers and accepts the credential before anything is uploaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.commands.shown import line
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.index.azure import Service


async def reached(settings: Settings, *, write: bool) -> Service:
    """The service, which answered. Raises NotConfigured where it is not named, or where this credential may not read
    its indexes or, with `write`, not upload to them; AzureSearchError and Timeout where it cannot be asked."""
    from corpus.index.azure import Timing
    from corpus.index.azure.admission import WRITING
    from corpus.index.azure.connection import Connection
    from corpus.index.azure.upload.permission import check_credential
    from server.wiring import azure_service

    service = azure_service(settings, role=WRITING, key_kind="an admin key")
    async with Connection(service, Timing(whole=15.0, read=6.5, retries=1)) as connection:
        click.echo(f"Connecting to {line(connection.host)} ...", err=True)
        await check_credential(connection, settings.azure_search_content_index, write=write)
    return service
