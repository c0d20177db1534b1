"""`ibid index`: check, rebuild, export and import the local index."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import anyio.to_thread
import click

from server.commands.group import Subcommands
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal import json_option, print_json, print_line, print_note, unbroken

T = TypeVar("T")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("index", cls=Subcommands)
def command() -> None:
    """Check the local index, rebuild its derived parts, and move it to another machine.

    This command is for the owner of the index: access lists do not limit it, and an exported file contains every
    document.
    """


@command.command("check")
@json_option
def check(as_json: bool) -> None:
    """Check that the index is intact: database, references, vectors and words. Changes nothing."""
    from corpus.index.local.integrity import check as check_index

    folder = settings_and_logs(local=True).data_dir
    findings = _run(lambda: check_index(folder))
    if as_json:
        print_json({"folder": str(folder), "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            print_line(
                f"{finding.level:8} {finding.part:10} {finding.text}" + (f". {finding.cure}" if finding.cure else ""),
                hanging=20,
            )
    sys.exit(FAILED if any(finding.level == "failed" for finding in findings) else 0)


@command.command("rebuild")
def rebuild() -> None:
    """Rebuild the word index and the vector file from the database. Searches keep working meanwhile."""
    from corpus.index.local.integrity import rebuild as rebuild_index

    folder = settings_and_logs(local=True).data_dir
    _run(lambda: rebuild_index(folder))
    print_line("rebuilt the derived parts of ", unbroken(folder))


@command.command("export")
@click.argument("file", type=FILE)
@json_option
def export(file: Path, as_json: bool) -> None:
    """Write a copy of the index into FILE, a new zip archive. The index may be in use."""
    from corpus.index.local.archive import export_index

    folder = settings_and_logs(local=True).data_dir
    archive = _run(lambda: export_index(folder, file, version=version("ibid-mcp")))
    if as_json:
        print_json({"file": str(file), **asdict(archive)})
        return
    print_line(f"exported {archive.documents} documents with {archive.blocks} blocks to ", unbroken(file))
    print_note("the file contains the text and pictures of every document. Protect it as you protect the documents.")


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--replace",
    is_flag=True,
    help="Replace an existing index, which is kept under another name.",
)
@json_option
def import_(file: Path, replace: bool, as_json: bool) -> None:
    """Unpack an exported index into RAG_DATA_DIR, after checking it."""
    from corpus.index.local.archive import import_index

    settings = settings_and_logs(local=True)
    archive, before = _run(
        lambda: import_index(settings.data_dir, file, replace=replace, prefixed=settings.principal_prefixes)
    )
    if as_json:
        print_json({"folder": str(settings.data_dir), "before": str(before) if before else None, **asdict(archive)})
        return
    print_line(
        f"imported {archive.documents} documents with {archive.blocks} blocks into ",
        unbroken(settings.data_dir),
    )
    if before:
        print_line("the previous index is now in ", unbroken(before))


def _run(work: Callable[[], T]) -> T:
    return run(lambda: anyio.to_thread.run_sync(work))
