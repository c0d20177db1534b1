"""`--html FILE`: write the answer as one page, atomically. Files that Ibid did not write are not overwritten."""

from __future__ import annotations

from pathlib import Path

import click

from server.answer_page.page_data import PageData
from server.commands.terminal import one_line, print_line, print_note, unbroken

html_option = click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write one HTML page with the pictures and the evidence of each claim outlined.",
)  # fmt: skip
force_option = click.option("--force", is_flag=True, help="With --html: overwrite a file that Ibid did not write.")


def check_place(file: Path, *, force: bool) -> None:
    """Raise UsageError if the folder is missing, or if the file exists, is not a page written by Ibid, and `force` is
    not set. Call this before any work is done."""
    from server.answer_page.page import is_ours

    if not file.absolute().parent.is_dir():
        raise click.UsageError(f"There is no folder {one_line(file.parent)}. Create it, or name another file.")
    if not force and file.exists() and not is_ours(file):
        raise click.UsageError(
            f"{one_line(file)} is not a page that Ibid wrote, so it was not changed. Name another file, or add --force."
        )


def save(file: Path, made: PageData, *, quiet: bool = False) -> None:
    """Write the HTML page to the file, and print notes on document pages that it omits."""
    from server.answer_page.page import page

    save_text(file, page(made), quiet=quiet)
    for place, reason in made.left_out:
        print_note(f"{place} is not shown: {reason}")


def save_text(file: Path, text: str, *, quiet: bool) -> None:
    """Write the page atomically, and print a line with its path."""
    from server.answer_page.page import write_page

    try:
        write_page(file, text)
    except OSError as error:
        raise click.ClickException(f"{one_line(file)} cannot be written: {error.strerror}") from error
    print_line("Written: ", unbroken(file), beside=quiet)
