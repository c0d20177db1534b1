"""Print claims beside their verdicts on a terminal, or one line each into a pipe."""

from __future__ import annotations

import click
from rich.console import Console

from corpus.verification.protocol import CheckedClaim
from server.answer_page import rows
from server.answer_page.promise import Told
from server.answer_page.verdicts import SIGNS, WORDS, counted
from server.commands.layout import Part, tell
from server.commands.shown import line, output

LIMIT = "Found: its words, numbers and names stand there. An opposite in the same words is rarely seen."
_COLOURS = {"found": "green", "partly": "yellow", "uncited": "bright_black"}
_VERDICTS = max(map(len, WORDS.values())) + 4
"""Columns of a verdict with its sign and the space behind it."""
_SIDE_BY_SIDE = _VERDICTS + 30


def print_claims(answer: Told) -> None:
    """On a terminal claims beside their verdicts; elsewhere a line a claim: verdict, claim, sources (also those that
    there are not), what is missing, parted by tabs."""
    console = output()
    called = {source.citation_number: source.called for source in answer.sources}
    if not answer.claims:
        click.echo("No claim was found in this text: nothing in it states a fact.")
        return
    for claim in answer.claims:
        cited = list(dict.fromkeys(called[n] for n in claim.claim.citations if n in called))
        if console.is_terminal:
            _laid_out(claim, cited, console)
        else:
            sources = ", ".join((*cited, *map(_no_source, claim.claim.invalid)))
            cells = WORDS[claim.verdict], rows.read(claim.claim.text), sources, ", ".join(claim.missing)
            click.echo("\t".join(map(line, cells)))
    if console.is_terminal:
        count = len(answer.claims)
        summary = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counted(answer.claims))
        tell(f"{count} claim{'' if count == 1 else 's'}: {summary}.", console=console)
        if any(claim.verdict == "found" for claim in answer.claims):
            tell(Part(LIMIT, "dim"), console=console)


def _laid_out(claim: CheckedClaim, cited: list[str], console: Console) -> None:
    """The claim, what its sources lack, and each source; on a narrow terminal below the verdict."""
    colour = _COLOURS.get(claim.verdict, "red")
    verdict = Part(f"{SIGNS[claim.verdict]} {WORDS[claim.verdict]}", colour)
    beside = console.width >= _SIDE_BY_SIDE
    indent = _VERDICTS if beside else 4
    margin = " " * indent
    if not beside:
        tell(verdict, console=console)
    first: tuple[str | Part, ...] = (verdict, " " * (indent - len(verdict.text))) if beside else (margin,)
    tell(*first, rows.read(claim.claim.text), hanging=indent, console=console)
    if claim.missing:
        tell(margin, Part(f"lacks: {', '.join(claim.missing)}", "red"), hanging=indent, console=console)
    for source in cited:
        tell(margin, Part(source, "dim"), hanging=indent, console=console)
    for source in claim.claim.invalid:
        tell(margin, Part(_no_source(source), "red"), hanging=indent, console=console)
    console.print()


def _no_source(name: str) -> str:
    return f"no such source: {name}"
