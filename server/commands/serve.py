"""`ibid serve`: serve MCP over standard input and output, or over HTTP."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from server.commands.running import failure, run
from server.gc_freeze import gc_frozen

if TYPE_CHECKING:
    from server.first_answers.early import EarlyAnswers

BY_HAND = (
    "This waits for an MCP client on standard input, and Ctrl-C ends it. Clients start it themselves: `ibid install "
    "CLIENT` configures them. To ask on the terminal: `ibid ask QUESTION`."
)


@click.command("serve")
@click.option("--http", "place", metavar="HOST:PORT", help="Serve over HTTP at this address, such as 127.0.0.1:8000.")
@click.pass_obj
def command(early: EarlyAnswers | None, place: str | None) -> None:
    """Serve MCP over standard input and output, for a client that starts this command itself.

    Standard output carries only the protocol; logs go to standard error. With --http, serve any number of clients at
    http://HOST:PORT/mcp.
    """
    with gc_frozen():
        from corpus.errors import InvalidRequest, NotConfigured
        from server.settings.model import load_settings

    try:
        settings = load_settings()
    except NotConfigured as error:
        raise failure(error) from error
    if place is None:
        with gc_frozen():
            from server.stdio import serve

        if sys.stdin.isatty():
            from server.commands.terminal import print_note

            print_note(BY_HAND)
        serve(settings, early)
        return
    with gc_frozen():
        from server.http.binding import address_of
        from server.http.serve import serve as serve_http

    try:
        address = address_of(place)
    except InvalidRequest as error:
        raise failure(error) from error
    run(partial(serve_http, settings, address))
