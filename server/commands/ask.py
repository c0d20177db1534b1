"""`ibid ask`: answer a question from the documents."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from corpus.access import Caller
from corpus.citations import as_read, citation
from corpus.documents.block import Picture, passage_text
from corpus.errors import AmbiguousDocument, DocumentNotFound, IbidError
from corpus.filters import Filters
from corpus.library import Library
from corpus.lookup.document_resolution import description
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.refusal import answered_words, sureness
from corpus.synthesis.request import SynthesisRequest, Turn
from server.answer_page.answer_words import counted, for_people, verdict, words_for_question
from server.answer_page.page_data import PageData
from server.calls.deadlines import limit_of
from server.commands.ask_terminal import IMAGE, for_terminal, print_answer
from server.commands.html_file import check_place, force_option, html_option, save
from server.commands.last_exchange import store_turns, stored_turns
from server.commands.running import run, settings_and_logs
from server.commands.terminal import Part, json_option, lines, output, print_json, print_line, print_note, unbroken
from server.settings.model import Settings

PREFIX = "ibid-figures-"
PAGES = "ibid-pages-"
KEPT = 24 * 3600.0
"""Maximum age of a temporary folder, in seconds."""
MAX_FOLDERS = 5
"""Maximum number of temporary folders. Five are enough to compare the last answers, and with this limit a script that
asks a hundred questions does not leave a hundred folders."""


def temporary_folder(prefix: str = PREFIX) -> Path:
    """Create a folder that only this user can open. Remove this user's folders that are older than a day, and the
    oldest ones if there are more than MAX_FOLDERS."""
    created = Path(tempfile.mkdtemp(prefix=prefix))
    user = created.stat().st_uid
    others = [(known.st_mtime, path) for path, known in _folders(created.parent, prefix) if known.st_uid == user]
    newest_first = sorted((entry for entry in others if entry[1] != created), reverse=True)
    for number, (mtime, folder) in enumerate(newest_first, 2):
        if number > MAX_FOLDERS or time.time() - mtime > KEPT:
            shutil.rmtree(folder, ignore_errors=True)
    return created


def _folders(parent: Path, prefix: str) -> Iterator[tuple[Path, os.stat_result]]:
    for path in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            known = path.lstat()
            if stat.S_ISDIR(known.st_mode):
                yield path, known


SEVERAL = "The question may mean any of {} documents. Specify one or several: --document NAME_OR_ID."
FITS = "{!r} fits {} documents. Specify one by its id: --document ID."
NONE = "There is no document {!r} that you may read. `ibid list` shows ids and file names."


async def request_for(
    shelf: Library,
    question: str,
    documents: Sequence[str],
    top_k: int,
    caller: Caller,
    history: Sequence[Turn] = (),
) -> SynthesisRequest:
    """Return the request for a question. Raise AmbiguousDocument if the question mentions, for example, "the report"
    and several documents fit, or if several documents have one of the names in `documents`."""
    ids = tuple(dict.fromkeys([await _doc_id(shelf, one, caller) for one in documents]))
    request = SynthesisRequest(question, Filters(doc_id=ids), top_k, history=tuple(history))
    if len(ids) == 1 and description(question):
        return await shelf.resolver.answered_from(request, ids[0], caller)
    try:
        await shelf.resolver.by_question(request, caller)
    except AmbiguousDocument as several:
        raise AmbiguousDocument(SEVERAL.format(len(several.options)), options=several.options) from several
    return request


async def _doc_id(shelf: Library, name: str, caller: Caller) -> str:
    try:
        return (await shelf.resolver.by_id_or_name(name, caller)).doc_id
    except AmbiguousDocument as several:
        text = FITS.format(name[:80], len(several.options))
        raise AmbiguousDocument(text, options=several.options) from several
    except DocumentNotFound as error:  # its message is for a model and mentions a tool
        raise DocumentNotFound(NONE.format(name[:80]), hints=error.hints) from error


SHOWN = 300
"""Maximum number of characters to show of each passage if no answer could be written."""
NOTHING_TO_CONTINUE = "There is no question of the last hour to continue from. Ask without --continue."


@dataclass(frozen=True, slots=True)
class Query:
    """The question and the values of the options."""

    question: str
    documents: tuple[str, ...]
    top_k: int
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer, its pictures by block id, the data of its HTML page if requested, and the word before page
    numbers."""

    made: Synthesis
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    page: PageData | None = None
    page_word: str = ""


@click.command("ask")
@click.argument("words", nargs=-1, required=True, metavar="QUESTION...")
@click.option("--top-k", default=10, show_default=True, type=click.IntRange(1, 20),
              help="Number of passages from which the answer is written.")  # fmt: skip
@click.option("--document", "documents", multiple=True, metavar="NAME_OR_ID",
              help="Answer only from this document. Repeat it for several.")  # fmt: skip
@click.option("--continue", "goes_on", is_flag=True,
              help="Follow up on the last question of the past hour: \"And the other pump?\"")  # fmt: skip
@click.option("--figures", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the answer's figures. Default: a temporary folder, kept for a day.")  # fmt: skip
@click.option("--open", "opens", is_flag=True,
              help="Open the answer as a page in the browser. Without --html, it is a temporary file.")  # fmt: skip
@html_option
@force_option
@json_option
def command(
    words: tuple[str, ...],
    top_k: int,
    documents: tuple[str, ...],
    goes_on: bool,
    figures: Path | None,
    opens: bool,
    html: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Answer a question from the documents. Each statement is followed by its file and page.

    The question needs no quotes: `ibid ask when does the server move`.
    """
    if html:
        check_place(html, force=force)
    settings = settings_and_logs()
    query = Query(" ".join(words), documents, top_k, _history(settings) if goes_on else ())
    answered = run(lambda: _answered(settings, query, page=opens or html is not None), seconds=limit_of(settings))
    _store(settings, query, answered.made)
    if answered.page:
        file = html or temporary_folder(PAGES) / "answer.html"
        save(file, answered.page, quiet=as_json)
        if opens and not webbrowser.open(file.absolute().as_uri()):
            print_note("No browser could be opened. Open the file yourself.")
    if as_json:
        print_json(_as_json(query, answered))
    elif not answered.page:
        _print(query, answered, figures)


def _print(query: Query, answered: Answered, figures: Path | None) -> None:
    """Print whether the question is answered, the answer, and notes on it. If standard output is a file or a pipe,
    write only the answer to it, and everything else to standard error."""
    made, console = answered.made, output()
    words = words_for_question(query.question)
    files = _saved(answered.pictures, figures) if answered.pictures else {}
    beside = not console.is_terminal
    is_answered = answered_words(made)
    if made.mode == "none":
        _print_hits(made)
        return
    headline = verdict(words, answered=is_answered, confidence=made.confidence, sources=len(made.sources))
    print_line(Part(headline, "bold green" if is_answered else "bold yellow"), beside=beside)
    if beside:
        text = IMAGE.sub(partial(_with_file, files=files), lines(made.answer))
        click.echo(text)
    else:
        click.echo()
        print_answer(console, for_terminal(made, query.question), made.sources)
        click.echo()
    if made.mode == "llm" and made.claims:
        checks = ", ".join(f"{number} {words.verdicts[one]}" for one, number in counted(made.claims))
        print_line(f"{checks}.", beside=beside)
    for block_id, file in files.items():
        print_line(f"Figure {block_id}: ", unbroken(file), hanging=4, beside=beside)
    for warning in for_people(made.warnings, answered=is_answered):
        print_note(warning)


def _print_hits(made: Synthesis) -> None:
    """Print the retrieved passages if no answer could be written from them."""
    for warning in for_people(made.warnings):
        print_note(warning)
    for hit in made.raw_chunks:
        print_line(Part(as_read(citation(hit.document, hit.block)), "bold"))
        print_line(" ".join(passage_text(hit.block).split())[:SHOWN])
        click.echo()


def _as_json(query: Query, answered: Answered) -> dict[str, Any]:
    """Return the fields of the tool `rag_synthesize`, plus whether the question seems answered and the confidence as a
    word."""
    from tools.synthesis_shape import build_answer

    made = answered.made
    shape = build_answer(made, answered.page_word, ()).model_dump(mode="json")
    return {
        "question": query.question,
        "answered": answered_words(made),
        "sureness": sureness(made.confidence),
        **shape,
    }


def _history(settings: Settings) -> tuple[Turn, ...]:
    """Return the earlier turns. Raise UsageError if there was no question within the last hour."""
    from server.bootstrap import caller

    if not (turns := stored_turns(settings.data_dir, caller(settings))):
        raise click.UsageError(NOTHING_TO_CONTINUE)
    return turns


def _store(settings: Settings, query: Query, made: Synthesis) -> None:
    from server.bootstrap import caller

    exchange = (Turn("user", query.question), Turn("assistant", made.answer))
    store_turns(settings.data_dir, caller(settings), (*query.history, *exchange))


async def _answered(settings: Settings, query: Query, *, page: bool) -> Answered:
    from server.bootstrap import caller, library

    async with library(settings, create=False) as shelf:
        who = caller(settings)
        request = await request_for(shelf, query.question, query.documents, query.top_k, who, query.history)
        made = await shelf.synthesize(request, who)
        word = shelf.page_words.for_question(query.question)
        if page:
            return Answered(made, page=await _page(query.question, made, shelf, who), page_word=word)
        pictures: dict[str, Picture] = {}
        for match in IMAGE.finditer(made.answer):
            with suppress(IbidError):  # without the picture, the caption is shown
                pictures[match[2]] = await shelf.picture(match[2], who)
        return Answered(made, pictures, None, word)


async def _page(question: str, made: Synthesis, shelf: Library, who: Caller) -> PageData:
    """Return the data of the answer's page."""
    from server.answer_page.gather_pages import page_data
    from server.answer_page.page_data import answer_data

    return await page_data(answer_data(question, made), shelf, who)


def _with_file(match: re.Match[str], files: Mapping[str, Path]) -> str:
    """Return Markdown that shows the picture's file, or only its caption if there is no file."""
    file = files.get(match[2])
    return f"![{match[1]}]({file.as_uri()})" if file else f"*{match[1]}*"


def _saved(pictures: Mapping[str, Picture], folder: Path | None) -> dict[str, Path]:
    target = folder or temporary_folder()
    target.mkdir(parents=True, exist_ok=True)
    files = {}
    for block_id, picture in pictures.items():
        suffix = picture.mime_type.partition("/")[2]
        files[block_id] = (target / f"{block_id}.{suffix}").absolute()
        files[block_id].write_bytes(picture.data)
    return files
