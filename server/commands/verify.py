"""`ibid verify`: check an answer written elsewhere against the index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.answer_page.promise import Told
from server.answer_page.telling import sourceless
from server.answer_page.verdicts import counted
from server.commands.as_json import json_option, print_json
from server.commands.html_option import check_place, force_option, html_option, save
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.verify_table import print_claims
from server.deadlines import limit_of
from server.settings import Settings

if TYPE_CHECKING:
    from server.answer_page.promise import Gathered

_FAULTS = ("not_found", "value_mismatch", "invalid_citation")


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True, allow_dash=True))
@json_option
@html_option
@force_option
def command(file: Path, as_json: bool, html: Path | None, force: bool) -> None:
    """Check an answer in Markdown, claim by claim, against the pages that it cites.

    A citation is (Source: manual.pdf, S. 46), or [1] with a line "[1] manual.pdf, S. 46". The exit code is 1 where a
    claim is not found in what it cites, a value differs, or there is no such source.
    """
    if html:
        check_place(html, force=force)
    text = _text(file)
    settings = settings_and_logs()
    answer, made = run(
        lambda: _checked(settings, text, file.name, pages=html is not None), seconds=limit_of(settings)
    )
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
        raise click.UsageError("The answer is no UTF-8 text.") from error
    except OSError as error:
        raise click.UsageError(f"The answer cannot be read: {error.strerror}") from error


async def _checked(settings: Settings, text: str, name: str, *, pages: bool) -> tuple[Told, Gathered | None]:
    from server.answer_page.gathering import gathered
    from server.answer_page.languages import language_of_answer
    from server.wiring import caller, library

    async with library(settings, create=False) as shelf:
        who = caller(settings)
        made = await shelf.verify_written(text, who)
        left = made.check.unchecked
        unchecked = [f"{left} further claims were not checked."] if left else []
        notes = (*unchecked, *made.check.contradictions)
        title = "An answer checked" if name == "-" else f"{name}, checked"
        language = language_of_answer(made.text, [one.language for one in made.sources]) if pages else None
        answer = Told(
            title, made.text, sourceless(made.check.claims), made.sources, notes,
            parts=made.parts, language=language,
        )  # fmt: skip
        return answer, await gathered(answer, shelf, who) if pages else None


def _as_json(answer: Told) -> dict[str, object]:
    called = {source.citation_number: source.called for source in answer.sources}
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
