"""`ibid eval`: ask your own questions, and measure the results. `--make N` drafts questions from the index."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from corpus.evaluation.metrics import Comparison, Measurement
from corpus.evaluation.run import APART, Run, bearing, difference
from server.commands.html_file import check_place, force_option, save_text
from server.commands.running import FAILED, failure, run, settings_and_logs
from server.commands.terminal import json_option, marked_up, output, print_json, print_line, print_note, unbroken

if TYPE_CHECKING:
    from corpus.evaluation.questions import Drafts, EvalQuestion
    from server.settings.model import Settings

FILE = click.Path(path_type=Path, dir_okay=False)


def _pairs(ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(one.split("=", 1) for one in values if "=" in one)
    if len(pairs) != len(values):
        raise click.BadParameter("Write NAME=VALUE, each name once.")
    return pairs


def _floors(ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    from corpus.evaluation.metrics import NAMES

    floors = {}
    for name, value in _pairs(ctx, option, values).items():
        if name not in NAMES:
            raise click.BadParameter(f"There is no measure {name!r}. The measures are: {', '.join(NAMES)}.")
        try:
            floors[name] = float(value)
        except ValueError:
            raise click.BadParameter(f"{value!r} is not a number.") from None
    return floors


@click.command("eval")
@click.argument("questions", type=FILE)
@click.option("--top-k", default=10, show_default=True, type=click.IntRange(1, 50), help="Number of blocks per search.")
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help="Run the questions a second time with this setting, and compare. May be repeated.",
)
@click.option("--no-answers", is_flag=True, help="Search only; write no answers.")
@click.option(
    "--floor",
    "floors",
    multiple=True,
    metavar="MEASURE=NUMBER",
    callback=_floors,
    help="End with exit code 1 if a measure is below this minimum, such as page_hit@5=0.8.",
)
@json_option
@click.option("--html", type=FILE, help="Write a report to this file.")
@force_option
@click.option("--make", type=click.IntRange(1, 1000), metavar="N",
              help="Draft N questions from the index and write them to the new file QUESTIONS.")  # fmt: skip
def command(
    questions: Path,
    top_k: int,
    changed: dict[str, str],
    no_answers: bool,
    floors: dict[str, float],
    as_json: bool,
    html: Path | None,
    force: bool,
    make: int | None,
) -> None:
    """Measure the answers to your own questions, given as one JSON object per line: correct pages, figures, citations,
    grounding, refusals and time."""
    settings = settings_and_logs()
    if make:
        write_drafts(settings, questions, make)
        return
    if html:
        check_place(html, force=force)
    rows = _read(questions)
    other = _changed(changed) if changed else None
    answers = not no_answers
    runs = [run(lambda: _run(settings, {}, rows, top_k, answers=answers))]
    if other:
        runs.append(run(lambda: _run(other, _masked(other, changed), rows, top_k, answers=answers)))
    if html:
        _write_report(runs, questions, html)
    _print(runs, as_json=as_json)
    sys.exit(_missed(runs[-1], floors))


def _read(file: Path) -> list[EvalQuestion]:
    from corpus.errors import InvalidRequest
    from corpus.evaluation.questions import read_questions

    try:
        return read_questions(file)
    except InvalidRequest as error:
        raise failure(error) from error
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}.") from error


def _changed(changed: Mapping[str, str]) -> Settings:
    from corpus.errors import NotConfigured
    from server.settings.model import check_variable, load_settings

    try:
        for name in changed:
            check_variable(name)
        return load_settings(changed=changed)
    except NotConfigured as error:
        raise failure(error) from error


def _masked(settings: Settings, changed: Mapping[str, str]) -> dict[str, str]:
    """Return the changed settings for a report, with secrets masked."""
    masked = settings.masked()
    return {name: masked.get(name, "") for name in changed}


async def _run(
    settings: Settings,
    changed: Mapping[str, str],
    questions: list[EvalQuestion],
    top_k: int,
    *,
    answers: bool,
) -> Run:
    from corpus.evaluation.run import Run, outcomes, unknown_names
    from server.bootstrap import caller, library

    done = []
    async with library(settings, create=False) as shelf:
        who = caller(settings)
        await shelf.search("ready", who, top_k=1)  # load everything first, so that the measured times exclude it
        with _bar(len(questions)) as bar:
            async for outcome in outcomes(questions, shelf, who, top_k=top_k, answers=answers):
                done.append(outcome)
                bar.update(1)
        return Run(tuple(done), changed, await unknown_names(done, shelf, who))


def _bar(count: int) -> click._termui_impl.ProgressBar[int]:
    hidden = not sys.stderr.isatty()
    return click.progressbar(length=count, label="Asking", file=sys.stderr, hidden=hidden)


def _print(runs: list[Run], *, as_json: bool) -> None:
    from corpus.evaluation.run import as_json as numbers
    from corpus.evaluation.run import notes

    if as_json:
        print_json(numbers(runs))
        return
    output().print(table(runs))
    for remark in notes(runs):
        print_note(remark)
    for failed in (outcome for each in runs for outcome in each.failures):
        print_note(f"{failed.question.id}: {failed.failure}")


def _missed(last: Run, floors: Mapping[str, float]) -> int:
    from corpus.evaluation.run import below

    missed = below(last, floors)
    for text in missed:
        print_line(f"Missed: {text}", hanging=8, beside=True)
    return FAILED if missed else 0


def _write_report(runs: list[Run], questions: Path, file: Path) -> None:
    from server.commands.eval_report import page

    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    save_text(file, page(runs, f"Evaluation: {questions.name}", when), quiet=True)


def write_drafts(settings: Settings, file: Path, count: int) -> None:
    """Write the questions to a new file, one JSON object per line, and print their number."""
    from corpus.evaluation.questions import as_rows

    if file.exists():
        raise click.UsageError(f"{file} already exists. Name a new file, or remove it.")
    drafts = run(lambda: _draft(settings, count))
    if not drafts.questions:
        raise click.ClickException("No question could be drafted: the index contains no document that you may read.")
    rows = [json.dumps(row, ensure_ascii=False) for row in as_rows(drafts.questions)]
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    advice = 'Read and correct them, and remove "draft" from the good ones.'
    print_line(f"{len(rows)} drafts in ", unbroken(file), f". {advice}")
    if drafts.by_topic:
        print_note(f"{drafts.by_topic} come from headings: the model wrote no question for them.")


async def _draft(settings: Settings, count: int) -> Drafts:
    from corpus.evaluation.questions import Writer, draft_questions
    from prompts.texts import evaluation_question
    from server.bootstrap import caller, library, prompts, text_generator

    generator, text = text_generator(settings), prompts(settings)["evaluation_question"]
    writer = Writer(generator, lambda language: evaluation_question(language, text)) if generator else None
    try:
        async with library(settings, create=False) as shelf:
            return await draft_questions(shelf, caller(settings), count, writer)
    finally:
        if generator:
            await generator.aclose()


NO_DATA = "—"


def table(runs: Sequence[Run]) -> Table:
    """Return a table with a row for each measure. It shows the mean, or the median and the 95th percentile for times.
    It also shows the 95 % confidence interval of the mean for a single run, or of the difference for two runs."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    rows.add_column("measure", no_wrap=True)
    for heading in ("as set", "changed")[: len(runs)]:
        rows.add_column(heading, justify="right", no_wrap=True)
    if len(runs) > 1:
        rows.add_column("difference", justify="right", no_wrap=True)
        rows.add_column("95 %", justify="right", no_wrap=True)
        rows.caption = f"changed: {marked_up(runs[1].name)}\n* more than chance: the interval excludes zero"
        rows.caption_justify = "left"
    rows.add_column("questions", justify="right", no_wrap=True)
    apart = {one.measure.name: one for one in difference(runs)}
    partly = False
    measured = [{one.measure.name: one for one in run.measured} for run in runs]
    for name in dict.fromkeys(name for one in measured for name in one):
        cells = [_value(one.get(name), alone=len(runs) == 1) for one in measured]
        cells += _apart(apart.get(name)) if len(runs) > 1 else []
        count = bearing([one.get(name) for one in measured], apart.get(name))
        partly = partly or "(" in count
        rows.add_row(name, *cells, count)
    if partly:
        rows.caption = f"{rows.caption}\n{APART}"
    return rows


def _value(value: Measurement | None, *, alone: bool) -> str:
    if value is None:
        return NO_DATA
    if value.measure.unit == "ms":
        return f"{value.median:.0f} / {value.p95:.0f}"
    spread = value.interval
    has_interval = alone and spread.low is not None
    return f"{spread.mean:.3f}" + (f" ({spread.low:.2f} to {spread.high:.2f})" if has_interval else "")


def _apart(compared: Comparison | None) -> list[str]:
    """Return the cells for the difference and its interval."""
    if compared is None:
        return [NO_DATA, ""]
    spread, digits = compared.difference, 0 if compared.measure.unit == "ms" else 2
    mark = "*" if spread.excludes_zero else " "
    about = "" if spread.low is None else f"{spread.low:+.{digits}f} {spread.high:+.{digits}f}"
    return [f"{spread.mean:+.{digits}f}{mark}", about]
