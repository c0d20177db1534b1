"""`ibid eval --make N`: draft questions from the index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.commands.running import run
from server.commands.terminal.terminal_wrap import print_line, print_note, unbroken

if TYPE_CHECKING:
    from corpus.evaluation.drafting import Drafts
    from server.settings.model import Settings


def made(settings: Settings, file: Path, count: int) -> None:
    """Writes them to a new file, one JSON object a line, and says how many."""
    from corpus.evaluation.drafting import as_rows

    if file.exists():
        raise click.UsageError(f"{file} is there already. Name a new file, or remove it.")
    made = run(lambda: _draft(settings, count))
    if not made.questions:
        raise click.ClickException("No question could be drafted: the index holds no document that you may read.")
    rows = [json.dumps(row, ensure_ascii=False) for row in as_rows(made.questions)]
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    advice = 'Read them, mend them, and remove "draft" from those that ask well.'
    print_line(f"{len(rows)} drafts in ", unbroken(file), f". {advice}")
    if made.by_topic:
        print_note(f"{made.by_topic} come from headings: the model wrote no question for them.")


async def _draft(settings: Settings, count: int) -> Drafts:
    from corpus.evaluation.drafting import Writer, draft_questions
    from prompts.evaluation_prompts import evaluation_question
    from server.bootstrap import caller, library, prompts, text_generator

    generator, text = text_generator(settings), prompts(settings)["evaluation_question"]
    writer = Writer(generator, lambda language: evaluation_question(language, text)) if generator else None
    try:
        async with library(settings, create=False) as shelf:
            return await draft_questions(shelf, caller(settings), count, writer)
    finally:
        if generator:
            await generator.aclose()
