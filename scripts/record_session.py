"""Record a short terminal session as docs/session.svg: `make session`.

The commands really run, in a temporary folder; the picture contains their output at the width of a terminal.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path("docs/session.svg")
WIDTH, MOST_LINES = 96, 24
BORDER = 2
"""Number of additional columns. Without them, the edge of the picture would cut off characters."""
COMMANDS = (
    "ibid ingest examples/documents",
    'ibid search "set pressure of the safety valve" --top-k 2',
    'ibid ask "How often must the safety valve be tested?"',
)
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg" \
role="img" aria-label="A session in the terminal: documents are ingested, searched and asked">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect fill="#1b1f24" width="{terminal_width}" height="{terminal_height}" rx="8"/>
<g transform="translate(9, 9)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
_MOVES = re.compile(r"(\r|\n|\x1b\[\d*A|\x1b\[\d?K|\x1b\[\?25[lh])")
"""Pattern for the characters and sequences with which a progress bar moves a terminal's cursor."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder))
        console = Console(record=True, width=WIDTH + BORDER, file=io.StringIO(), force_terminal=True)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "green"), (command, "bold")))
            for line in _printed(command, environment):
                console.print(Text.from_ansi(line), soft_wrap=True)
            console.print()
    PICTURE.write_text(console.export_svg(code_format=FRAME, unique_id="session"), encoding="utf-8")
    sys.stdout.write(f"{PICTURE} written\n")


def _environment(folder: Path) -> Mapping[str, str]:
    """Return an environment without personal settings, and with a temporary index."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "AZURE_"))}
    ours = {
        "RAG_DATA_DIR": str(folder / "index"),
        "COLUMNS": str(WIDTH),
        "FORCE_COLOR": "1",
        "TMPDIR": str(folder),
    }
    return {**kept, **ours}


def _printed(command: str, environment: Mapping[str, str]) -> list[str]:
    """Return the lines that a command prints on both streams, at most MOST_LINES."""
    name, *arguments = shlex.split(command)
    place = Path(sys.executable).with_name(name)
    ran = subprocess.run(
        [place, *arguments], env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    # Read bytes, because text mode would turn each carriage return into a new line.
    printed = ran.stdout.decode().replace(f"{Path.cwd()}{os.sep}", "")
    lines = "\n".join(line.rstrip() for line in shown(printed)).strip("\n").split("\n")
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "…"]


def shown(printed: str) -> list[str]:
    """Return the lines that a terminal shows after all of this has been printed to it."""
    lines, at = [""], 0
    for piece in _MOVES.split(printed):
        if piece == "\n":
            at += 1
            lines += [""] * (at == len(lines))
        elif piece.endswith("A") and _MOVES.fullmatch(piece):
            at = max(0, at - int(piece[2:-1] or 1))
        elif piece.endswith("K") and _MOVES.fullmatch(piece):
            lines[at] = ""
        elif not _MOVES.fullmatch(piece):
            lines[at] += piece
    return lines


if __name__ == "__main__":
    main()
