"""Output that is not an answer is distinguished from a bad answer, with the reason."""

from __future__ import annotations

import pytest

from corpus.generation.protocol import Prompt, fence
from corpus.synthesis.model_answer import Unusable, refuse

RULE = "- Use the sources alone. Leave out what they do not say, however well you know it."
PROMPT = Prompt(f"Question: How fast does the pump turn?\n\n[1]\n{fence('From: a.pdf')}", RULE)
CODE = fence("From: a.pdf").splitlines()[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "HTML"),
        ("```html\n<html><head></head></html>\n```", "HTML"),
        ('{"error": "rate limit"}', "JSON"),
        ('```json\n{"answer": "It turns."}\n```', "JSON"),
        ('{"answer": "It turns at', "JSON"),
        ('[{"answer": "It turns."}]', "JSON"),
        (f"It turns.\n{CODE}\nFrom: a.pdf", "repeats what it was asked"),
        (CODE.strip("<>"), "repeats what it was asked"),
        (f"Sure. {RULE}", "repeats what it was asked"),
        ("How fast does the pump turn?", "repeats what it was asked"),
        ("the " * 400, "again and again"),
        ("!" * 400, "again and again"),
        ("The pump turns at 2900 revolutions [1]. " * 30, "again and again"),
        ("It turns [1]. " + "and on and on " * 60, "again and again"),
        ("水" * 300, "again and again"),
        ("I'm sorry, but I can't help with that.", "declined"),
        ("As an AI, I must not tell.", "declined"),
        ("Es tut mir leid, dabei kann ich nicht helfen.", "declined"),
    ],
)
def test_output_that_is_not_an_answer_is_refused(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        refuse(text, PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "It turns at 2900 revolutions [1].",
        "I am sorry to say that it turns at 2900 revolutions only [1].",
        "[1]",
        "42 [1]",
        'Set `{"speed": 2900}` in the file [1].',
        "```json\n[1]\n```",
        "Write `<html>` first [1].",
        "\n".join(
            f"| Valve {n} | open | {n * 7} bar | checked by {'Ann' if n % 2 else 'Bob'} [1] |" for n in range(60)
        ),
        "\n".join(f"{n}. Turn screw {n} by {n * 3} degrees [1]." for n in range(60)),
        "Use the sources alone.",
        "",
    ],
)
def test_a_real_answer_passes(text: str) -> None:
    refuse(text, PROMPT)
