"""`ibid config`"""

from __future__ import annotations

import click

from server.commands.running import settings_and_logs
from server.commands.shown import line


@click.command("config")
def command() -> None:
    """Print the settings in force, one a line, secrets masked."""
    for name, value in settings_and_logs().masked().items():
        click.echo(f"{name}={line(value)}")
