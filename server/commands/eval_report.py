"""The report of an evaluation as one HTML page, without scripts or network access."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from corpus.evaluation.metrics import MIN_VALUES, Comparison, Measurement, Outcome
from corpus.evaluation.run import APART, Run, bearing, difference, notes
from server.answer_page.page import generator
from server.commands.terminal import lines

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
NO_DATA = "—"
HINT = '<p class="hint">On a narrow screen, the table scrolls sideways.</p>'
MEANS = (
    f"Means over the questions that each measure applies to, with 95 % bootstrap intervals from {MIN_VALUES} questions "
    "on; times as median and 95th percentile."
)


def page(runs: Sequence[Run], title: str, when: str) -> str:
    """Return the complete page. `when` is the time of the run. All texts are escaped."""
    style = files("server.commands").joinpath("eval_report.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="soft">{len(runs[0].outcomes)} questions, {_text(when)}</p>',
        *(f'<p class="note">{_text(note)}</p>' for note in notes(runs)),
        "<h2>Numbers</h2>",
        HINT,
        _numbers(runs),
        "<h2>Questions</h2>",
        *(_question(outcome, [run.outcomes[n] for run in runs[1:]]) for n, outcome in enumerate(runs[0].outcomes)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'{generator("evaluation report")}<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{style}</style></head><body><main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main></body></html>\n"
    )


def _numbers(runs: Sequence[Run]) -> str:
    measured = [{value.measure.name: value for value in run.measured} for run in runs]
    apart = {value.measure.name: value for value in difference(runs)}
    order = list(dict.fromkeys(name for values in measured for name in values))
    head = [f'<th scope="col" class="number">{_text(run.name)}</th>' for run in runs]
    rows, partly = [], False
    for name in order:
        count = bearing([values.get(name) for values in measured], apart.get(name))
        partly = partly or "(" in count
        some = next(values[name] for values in measured if name in values)
        cells = [f'<td class="number">{_value(values.get(name))}</td>' for values in measured]
        cells += [f'<td class="number">{_apart(apart.get(name))}</td>'] if len(runs) > 1 else []
        called = _text(name).replace("_", "_<wbr>")
        rows.append(
            f'<tr><th scope="row">{called}<br><span class="soft">{_text(some.measure.means)}</span></th>'
            f'{"".join(cells)}<td class="number">{count}</td></tr>'
        )
    last = '<th scope="col" class="number">difference</th>' if len(runs) > 1 else ""
    return f'<p class="soft">{MEANS}{f" {APART}" if partly else ""}</p>' + _wide(
        "Numbers",
        f'<table><thead><tr><th scope="col">measure</th>{"".join(head)}{last}'
        f'<th scope="col" class="number">questions</th></tr></thead><tbody>{"".join(rows)}</tbody></table>',
    )


def _wide(name: str, inside: str) -> str:
    """Wrap wide content so that it scrolls horizontally, also by keyboard."""
    return f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{inside}</div>'


def _value(value: Measurement | None) -> str:
    if value is None:
        return NO_DATA
    if value.measure.unit == "ms":
        return f"{value.median:.0f} / {value.p95:.0f} ms"
    spread = value.interval
    about = "" if spread.low is None else f' <span class="soft">{spread.low:.2f} to {spread.high:.2f}</span>'
    return f"{spread.mean:.3f}{about}"


def _apart(value: Comparison | None) -> str:
    if value is None:
        return NO_DATA
    spread, digits = value.difference, 0 if value.measure.unit == "ms" else 3
    about = "" if spread.low is None else f" [{spread.low:+.{digits}f}, {spread.high:+.{digits}f}]"
    text = f"{spread.mean:+.{digits}f}{about}"
    if spread.low is None:
        return f'{text}<br><span class="soft">too few to tell</span>'
    if not spread.excludes_zero:
        return f'<span class="soft">{text}<br>within chance</span>'
    good = (spread.mean > 0) == (value.measure.better == "higher")
    return f'<span class="{"better" if good else "worse"}">{text}<br>{"better" if good else "worse"}</span>'


def _question(first: Outcome, others: Sequence[Outcome]) -> str:
    details = "".join(f"<div>{_outcome(outcome)}</div>" for outcome in (first, *others))
    rank = " and ".join(_rank(outcome) for outcome in (first, *others))
    summary = f'{_text(first.question.question)} <span class="soft">{rank}</span>'
    return f"<details><summary>{summary}</summary>{details}</details>"


def _rank(outcome: Outcome) -> str:
    if outcome.failure:
        return "failed"
    if not outcome.question.answerable:
        return "refused" if outcome.written and outcome.written.refused else "answered, although no document answers"
    if not outcome.question.document:
        return ""
    rank = outcome.ranks.page if outcome.question.pages else outcome.ranks.document
    return f"place {rank}" if rank else "not found"


def _outcome(outcome: Outcome) -> str:
    question = outcome.question
    wanted = (
        ", ".join([question.document or "", *(f"page {page}" for page in sorted(question.pages))])
        if question.document
        else ""
    )
    rows = [
        f"<p class='soft'>Wanted: {_text(wanted)}</p>" if wanted else "",
        f"<p class='soft'>Wanted answer: {_text(question.answer)}</p>" if question.answer else "",
        f"<p class='soft'>Found: {_text('; '.join(outcome.first))}</p>" if outcome.first else "",
        f"<p class='worse'>{_text(outcome.failure)}</p>" if outcome.failure else "",
    ]
    if outcome.written:
        verdicts = ", ".join(f"{name} {count}" for name, count in sorted(outcome.written.verdicts.items()))
        rows.append(
            f"<p class='soft'>Claims: {_text(verdicts or 'none')}; confidence {outcome.written.confidence:.2f}</p>"
            f'<pre tabindex="0">{_text(outcome.written.text)}</pre>'
        )
    return "".join(rows)


def _text(text: object) -> str:
    return escape(lines(text), quote=True)
