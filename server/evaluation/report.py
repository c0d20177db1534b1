"""The report of an evaluation as one page: no request leaves it, and it runs no program."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from corpus.evaluation.intervals import MIN_VALUES
from corpus.evaluation.measures import Comparison, Measurement
from corpus.evaluation.outcome import Outcome
from corpus.evaluation.run import APART, Run, bearing, difference, notes
from server.answer_page.page_file import generator
from server.commands.terminal.terminal_escape import lines

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
NO_DATA = "—"
HINT = '<p class="hint">On a narrow screen, the table scrolls sideways.</p>'
MEANS = (
    f"Means over the questions that bear on each, with 95 % bootstrap intervals where they are {MIN_VALUES} or more; "
    "times as median and 95th percentile."
)


def page(runs: Sequence[Run], title: str, when: str) -> str:
    """The whole page. Texts of questions, answers and names are shown as text, whatever is in them."""
    style = files("server.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="soft">{len(runs[0].outcomes)} questions, {_text(when)}</p>',
        *(f'<p class="note">{_text(one)}</p>' for one in notes(runs)),
        "<h2>Numbers</h2>",
        HINT,
        _numbers(runs),
        "<h2>Questions</h2>",
        *(
            _question(outcome, [run.outcomes[n] for run in runs[1:]])
            for n, outcome in enumerate(runs[0].outcomes)
        ),
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
    measured = [{one.measure.name: one for one in run.measured} for run in runs]
    apart = {one.measure.name: one for one in difference(runs)}
    order = list(dict.fromkeys(name for one in measured for name in one))
    head = [f'<th scope="col" class="number">{_text(run.name)}</th>' for run in runs]
    rows, partly = [], False
    for name in order:
        count = bearing([one.get(name) for one in measured], apart.get(name))
        partly = partly or "(" in count
        some = next(one[name] for one in measured if name in one)
        cells = [f'<td class="number">{_value(one.get(name))}</td>' for one in measured]
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
    """What may be wider than the window: it scrolls by itself, with the keyboard too."""
    return f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{inside}</div>'


def _value(one: Measurement | None) -> str:
    if one is None:
        return NO_DATA
    if one.measure.unit == "ms":
        return f"{one.median:.0f} / {one.p95:.0f} ms"
    spread = one.interval
    about = "" if spread.low is None else f' <span class="soft">{spread.low:.2f} to {spread.high:.2f}</span>'
    return f"{spread.mean:.3f}{about}"


def _apart(one: Comparison | None) -> str:
    if one is None:
        return NO_DATA
    spread, digits = one.difference, 0 if one.measure.unit == "ms" else 3
    about = "" if spread.low is None else f" [{spread.low:+.{digits}f}, {spread.high:+.{digits}f}]"
    said = f"{spread.mean:+.{digits}f}{about}"
    if spread.low is None:
        return f'{said}<br><span class="soft">too few to tell</span>'
    if not spread.excludes_zero:
        return f'<span class="soft">{said}<br>within chance</span>'
    good = (spread.mean > 0) == (one.measure.better == "higher")
    return f'<span class="{"better" if good else "worse"}">{said}<br>{"better" if good else "worse"}</span>'


def _question(first: Outcome, others: Sequence[Outcome]) -> str:
    shown = "".join(f"<div>{_outcome(one)}</div>" for one in (first, *others))
    rank = " and ".join(_rank(one) for one in (first, *others))
    summary = f'{_text(first.question.question)} <span class="soft">{rank}</span>'
    return f"<details><summary>{summary}</summary>{shown}</details>"


def _rank(one: Outcome) -> str:
    if one.failure:
        return "failed"
    if not one.question.answerable:
        return "refused" if one.written and one.written.refused else "answered, though no document answers"
    if not one.question.document:
        return ""
    rank = one.ranks.page if one.question.pages else one.ranks.document
    return f"place {rank}" if rank else "not found"


def _outcome(one: Outcome) -> str:
    asked = one.question
    wanted = (
        ", ".join([asked.document or "", *(f"page {page}" for page in sorted(asked.pages))])
        if asked.document
        else ""
    )
    rows = [
        f"<p class='soft'>Wanted: {_text(wanted)}</p>" if wanted else "",
        f"<p class='soft'>Wanted answer: {_text(asked.answer)}</p>" if asked.answer else "",
        f"<p class='soft'>Found: {_text('; '.join(one.first))}</p>" if one.first else "",
        f"<p class='worse'>{_text(one.failure)}</p>" if one.failure else "",
    ]
    if one.written:
        verdicts = ", ".join(f"{name} {count}" for name, count in sorted(one.written.verdicts.items()))
        rows.append(
            f"<p class='soft'>Claims: {_text(verdicts or 'none')}; confidence {one.written.confidence:.2f}</p>"
            f'<pre tabindex="0">{_text(one.written.text)}</pre>'
        )
    return "".join(rows)


def _text(text: object) -> str:
    return escape(lines(text), quote=True)
