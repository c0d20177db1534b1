"""`ibid verify`: check an answer written elsewhere against the index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from corpus.verification.protocol import CheckedClaim
from server.answer_page import answer_text
from server.answer_page.answer_words import SIGNS, WORDS, counted
from server.answer_page.page_data import AnswerData, sourceless
from server.calls.deadlines import limit_of
from server.commands.html_file import check_place, force_option, html_option, save
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal import Part, json_option, one_line, output, print_json, print_line
from server.settings.model import Settings

if TYPE_CHECKING:
    from server.answer_page.page_data import PageData


LIMIT = "Found: the source has its words, numbers and names. A contradiction in the same words is rarely detected."
_COLOURS = {"found": "green", "partly": "yellow", "uncited": "bright_black"}
_VERDICTS = max(map(len, WORDS.values())) + 4
"""Width in columns of a verdict with its sign and the space after it."""
_SIDE_BY_SIDE = _VERDICTS + 30


def print_claims(answer: AnswerData) -> None:
    """On a terminal, print claims next to their verdicts. Otherwise print a line for each claim, with verdict, claim,
    sources (including those that do not exist) and missing words, separated by tabs."""
    console = output()
    called = {source.citation_number: source.name for source in answer.sources}
    if not answer.claims:
        click.echo("No claim was found in this text: nothing in it states a fact.")
        return
    for claim in answer.claims:
        cited = list(dict.fromkeys(called[n] for n in claim.claim.citations if n in called))
        if console.is_terminal:
            _laid_out(claim, cited, console)
        else:
            sources = ", ".join((*cited, *map(_no_source, claim.claim.invalid)))
            cells = WORDS[claim.verdict], answer_text.read(claim.claim.text), sources, ", ".join(claim.missing)
            click.echo("\t".join(map(one_line, cells)))
    if console.is_terminal:
        count = len(answer.claims)
        summary = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counted(answer.claims))
        print_line(f"{count} claim{'' if count == 1 else 's'}: {summary}.", console=console)
        if any(claim.verdict == "found" for claim in answer.claims):
            print_line(Part(LIMIT, "dim"), console=console)


def _laid_out(claim: CheckedClaim, cited: list[str], console: Console) -> None:
    """Print the claim, the words that its sources lack, and each source. On a narrow terminal, print these below the
    verdict."""
    colour = _COLOURS.get(claim.verdict, "red")
    verdict = Part(f"{SIGNS[claim.verdict]} {WORDS[claim.verdict]}", colour)
    beside = console.width >= _SIDE_BY_SIDE
    indent = _VERDICTS if beside else 4
    margin = " " * indent
    if not beside:
        print_line(verdict, console=console)
    first: tuple[str | Part, ...] = (verdict, " " * (indent - len(verdict.text))) if beside else (margin,)
    print_line(*first, answer_text.read(claim.claim.text), hanging=indent, console=console)
    if claim.missing:
        print_line(margin, Part(f"lacks: {', '.join(claim.missing)}", "red"), hanging=indent, console=console)
    for source in cited:
        print_line(margin, Part(source, "dim"), hanging=indent, console=console)
    for source in claim.claim.invalid:
        print_line(margin, Part(_no_source(source), "red"), hanging=indent, console=console)
    console.print()


def _no_source(name: str) -> str:
    return f"no such source: {name}"


_FAULTS = ("not_found", "value_mismatch", "invalid_citation")


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True, allow_dash=True))
@json_option
@html_option
@force_option
def command(file: Path, as_json: bool, html: Path | None, force: bool) -> None:
    """Check an answer in Markdown, claim by claim, against the pages that it cites.

    A citation is (Source: manual.pdf, S. 46), or [1] with a line "[1] manual.pdf, S. 46". The exit code is 1 if a claim
    is not found in its cited source, a value differs, or a source does not exist.
    """
    if html:
        check_place(html, force=force)
    text = _text(file)
    settings = settings_and_logs()
    answer, made = run(lambda: _checked(settings, text, file.name, pages=html is not None), seconds=limit_of(settings))
    if as_json:
        print_json(_as_json(answer))
    else:
        print_claims(answer)
    if html and made:
        save(html, made, quiet=as_json)
    if any(one.verdict in _FAULTS or one.claim.invalid for one in answer.claims):
        raise SystemExit(FAILED)


def _text(file: Path) -> str:
    try:
        data: bytes = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError("The answer is not UTF-8 text.") from error
    except OSError as error:
        raise click.UsageError(f"The answer cannot be read: {error.strerror}") from error


async def _checked(settings: Settings, text: str, name: str, *, pages: bool) -> tuple[AnswerData, PageData | None]:
    from server.answer_page.answer_words import language_of_answer
    from server.answer_page.gather_pages import page_data
    from server.bootstrap import caller, library

    async with library(settings, create=False) as shelf:
        who = caller(settings)
        made = await shelf.verify_written(text, who)
        left = made.check.unchecked
        unchecked = [f"{left} further claims were not checked."] if left else []
        notes = (*unchecked, *made.check.contradictions)
        title = "An answer checked" if name == "-" else f"{name}, checked"
        language = language_of_answer(made.text, [one.language for one in made.sources]) if pages else None
        answer = AnswerData(
            title, made.text, sourceless(made.check.claims), made.sources, notes,
            parts=made.parts, language=language,
        )  # fmt: skip
        return answer, await page_data(answer, shelf, who) if pages else None


def _as_json(answer: AnswerData) -> dict[str, object]:
    called = {source.citation_number: source.name for source in answer.sources}
    return {
        "claims": [
            {
                "text": one.claim.text,
                "verdict": one.verdict,
                "cites": [called[number] for number in one.claim.citations if number in called],
                "no_such_source": list(one.claim.invalid),
                "missing": list(one.missing),
                "evidence": {"source": called.get(one.evidence.number), "text": one.evidence.text}
                if one.evidence
                else None,
            }
            for one in answer.claims
        ],
        "counts": dict(counted(answer.claims)),
        "notes": list(answer.notes),
    }
