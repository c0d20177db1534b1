"""`ibid ask`"""

from __future__ import annotations

import re
from pathlib import Path

import click
from rich.console import Console

from corpus.blocks import Picture
from corpus.synthesis.answer import Synthesis
from server.answer_page.promise import Gathered
from server.answer_page.verdicts import WORDS, counted
from server.commands.ask_request import request_for
from server.commands.ask_terminal import print_answer
from server.commands.figure_folder import temporary_folder
from server.commands.html_option import check_place, force_option, html_option, save
from server.commands.layout import note, tell, whole
from server.commands.running import run, settings_and_logs
from server.commands.shown import lines
from server.deadlines import limit_of
from server.settings import Settings

_IMAGE = re.compile(r"!\[((?:\\.|[^\]\\])*)\]\(rag://blocks/([^)/]+)/image\)")

_NAMED = re.compile(r"(?:fig(?:ure)?|abb(?:ildung)?|diagram|chart|schaubild)\b", re.IGNORECASE)


@click.command("ask")
@click.argument("question")
@click.option("--top-k", default=10, show_default=True, type=click.IntRange(1, 20))
@click.option("--document", "documents", multiple=True, metavar="NAME_OR_ID",
              help="Answer from this document alone. May be given several times.")  # fmt: skip
@click.option("--figures", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the answer's figures; a temporary one without it, kept for a day.")  # fmt: skip
@html_option
@force_option
def command(
    question: str,
    top_k: int,
    documents: tuple[str, ...],
    figures: Path | None,
    html: Path | None,
    force: bool,
) -> None:
    """Answer a question from the documents, each piece with its file and page."""
    if html:
        check_place(html, force=force)
    settings = settings_and_logs()
    if html:
        made = run(lambda: _gathered(settings, question, documents, top_k), seconds=limit_of(settings))
        save(html, made)
        return
    answer, pictures = run(lambda: _answer(settings, question, documents, top_k), seconds=limit_of(settings))
    files = _saved(pictures, figures) if pictures else {}
    console = Console()
    if console.is_terminal:
        # The files are named below, where a name cannot be cut.
        print_answer(console, _IMAGE.sub(_as_caption, lines(answer.answer)), answer.sources)
    else:
        click.echo(
            _IMAGE.sub(lambda found: f"![{found[1]}]({files[found[2]].as_uri()})", lines(answer.answer))
        )
    # What is written to a file or a pipe is the answer and nothing else.
    beside = not console.is_terminal
    count = len(answer.sources)
    click.echo(err=beside)
    sources = f"{count} source{'' if count == 1 else 's'}"
    tell(f"Confidence {answer.confidence:.2f}, {sources}.{_verdicts(answer)}", beside=beside)
    for block_id, file in files.items():
        tell(f"Figure {block_id}: ", whole(file), hanging=4, beside=beside)
    for warning in answer.warnings:
        note(warning)


def _as_caption(found: re.Match[str]) -> str:
    names_itself = _NAMED.match(found[1])
    return f"> {found[1]}" if names_itself else f"> **Figure** {found[1]}"


def _verdicts(answer: Synthesis) -> str:
    said = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counted(answer.claims))
    return f" Claims: {said}." if said else ""


async def _answer(
    settings: Settings, question: str, documents: tuple[str, ...], top_k: int
) -> tuple[Synthesis, dict[str, Picture]]:
    """The answer and the pictures that it shows, by block id."""
    from server.wiring import caller, library

    async with library(settings) as shelf:
        who = caller(settings)
        answer = await shelf.synthesize(await request_for(shelf, question, documents, top_k, who), who)
        shown = [found[2] for found in _IMAGE.finditer(answer.answer)]
        return answer, {block_id: await shelf.picture(block_id, who) for block_id in shown}


async def _gathered(settings: Settings, question: str, documents: tuple[str, ...], top_k: int) -> Gathered:
    """The answer with all that its page shows."""
    from server.answer_page.gathering import gathered
    from server.answer_page.telling import told_of
    from server.wiring import caller, library

    async with library(settings) as shelf:
        who = caller(settings)
        answer = await shelf.synthesize(await request_for(shelf, question, documents, top_k, who), who)
        return await gathered(told_of(question, answer), shelf, who)


def _saved(pictures: dict[str, Picture], folder: Path | None) -> dict[str, Path]:
    target = folder or temporary_folder()
    target.mkdir(parents=True, exist_ok=True)
    files = {}
    for block_id, picture in pictures.items():
        suffix = picture.mime_type.partition("/")[2]
        files[block_id] = (target / f"{block_id}.{suffix}").absolute()
        files[block_id].write_bytes(picture.data)
    return files
