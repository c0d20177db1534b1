"""`ibid serve`"""

from __future__ import annotations

import click

from server.commands.running import failure


@click.command("serve")
def command() -> None:
    """Serve MCP over standard input and output, for a client that starts this command itself.

    Standard output carries the protocol alone; logs go to standard error.
    """
    from corpus.errors import NotConfigured
    from server.settings import load_settings
    from server.stdio import serve

    try:
        settings = load_settings()
    except NotConfigured as error:
        raise failure(error) from error
    serve(settings)
