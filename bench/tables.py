"""What the tables of several benches share."""

from __future__ import annotations

from collections.abc import Sequence

from bench.questions import Question


def groups(asked: Sequence[Question]) -> list[tuple[str, str, list[int]]]:
    """Name, language and the questions of each set, of each language, and of all together."""
    sets = list(dict.fromkeys(q.set_name for q in asked))
    languages = sorted({q.language for q in asked})
    found = [(name, "all", [n for n, q in enumerate(asked) if q.set_name == name]) for name in sets]
    found += [
        ("all", language, [n for n, q in enumerate(asked) if q.language == language])
        for language in languages
    ]
    return [*found, ("pooled", "all", list(range(len(asked))))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
