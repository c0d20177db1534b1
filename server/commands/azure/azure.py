"""`ibid azure`: create the two indexes on Azure AI Search, and upload to them."""

from __future__ import annotations

import click

from server.commands.azure.create_indexes import command as create_indexes
from server.commands.azure.push import command as push
from server.commands.group import Subcommands


@click.group("azure", cls=Subcommands)
def command() -> None:
    """Create the indexes on Azure AI Search, and upload the local index to them.

    Start with: ibid azure create-indexes, then: ibid azure push. Both need an admin key or the roles Search Service
    Contributor and Search Index Data Contributor; searching afterwards needs a query key only.
    """


command.add_command(create_indexes)
command.add_command(push)
