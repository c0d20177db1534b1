"""`--json`: print the result as one JSON value on standard output, and nothing else there.

What went wrong stays a line on standard error, and the exit code says it, as without.
"""

from __future__ import annotations

import json
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for scripts.")


def print_json(value: Any) -> None:
    """Print the value as JSON on standard output."""
    click.echo(dumped(value))


def dumped(value: Any) -> str:
    """In ASCII, so that text of others gives a terminal no commands."""
    return json.dumps(value, ensure_ascii=True, indent=2)
