"""The claims of an answer as a table, or one line each where nobody looks."""

from __future__ import annotations

from server.answer_page.promise import Told
from server.answer_page.verdicts import SIGNS, WORDS, counted
from server.commands.shown import line, marked_up, output

_COLOURS = {"found": "green", "partly": "yellow", "uncited": "bright_black"}


def print_claims(told: Told) -> None:
    """On a terminal a table; elsewhere a line a claim: verdict, claim, source, what is missing, parted by tabs."""
    console = output()
    called = {source.citation_number: source.called for source in told.sources}
    if not told.claims:
        console.print("No claim was found in this text: nothing in it states a fact.")
        return
    if not console.is_terminal:
        import click

        for one in told.claims:
            cited = ", ".join(dict.fromkeys(called[n] for n in one.claim.citations if n in called))
            click.echo(
                "\t".join(map(line, (WORDS[one.verdict], one.claim.text, cited, ", ".join(one.missing))))
            )
    else:
        _table(told, called)
    summary = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counted(told.claims))
    console.print(f"{len(told.claims)} claims: {summary}.", soft_wrap=True) if console.is_terminal else None


def _table(told: Told, called: dict[int, str]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_lines=False, pad_edge=False)
    table.add_column("Verdict", no_wrap=True)
    table.add_column("Claim", ratio=3, overflow="fold")
    table.add_column("Source", ratio=2, overflow="fold")
    for one in told.claims:
        colour = _COLOURS.get(one.verdict, "red")
        cited = "\n".join(dict.fromkeys(called[n] for n in one.claim.citations if n in called))
        none_such = "\n".join(f"no such source: {each}" for each in one.claim.invalid)
        lacks = f"\n[red]lacks: {marked_up(', '.join(one.missing))}[/red]" if one.missing else ""
        table.add_row(
            f"[{colour}]{SIGNS[one.verdict]} {WORDS[one.verdict]}[/{colour}]",
            marked_up(one.claim.text) + lacks,
            "\n".join(marked_up(part) for part in (*cited.split("\n"), *none_such.split("\n")) if part),
        )
    output().print(table)
