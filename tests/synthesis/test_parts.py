"""Boundaries of the paragraphs and list items in hard-wrapped text, such as mails and text files."""

from __future__ import annotations

import pytest

from corpus.synthesis.extractive.parts import parts_of

MAIL = """From: Ines Bauer <ines@example.org>
To: everybody@example.org
Subject: New badge readers on Thursday
Hi all,
the badge readers at both doors are replaced on Thursday. Before you leave on Wednesday:
1. Take your old badge off its ring.
2. Put it into the box at the front desk.
3. Write your name on the envelope so that Pavel can print the new badge overnight.
The new readers come from a firm in Graz. Why now? Two of the old readers failed in May.
Regards
Ines"""


def texts(text: str) -> list[str]:
    return [part.text for part in parts_of(text, "en", wrapped=True)]


def test_the_last_item_of_a_mail_ends_before_the_next_paragraph() -> None:
    assert "Write your name on the envelope so that Pavel can print the new badge overnight." in texts(MAIL)


def test_the_header_lines_of_a_mail_are_separate() -> None:
    assert "Subject: New badge readers on Thursday" in texts(MAIL)
    german = "Von: Ines\nBetreff: Neue Leser\nLiebe alle, am Donnerstag kommen die neuen Leser."
    assert "Betreff: Neue Leser" in texts(german)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("- Oats\n- Honey and a pinch of salt.\nBake it for half an hour at a low heat.", "Honey and a pinch of salt."),
        ("1. Stir.\n2. Let it rest.\nMethod: Fold in the flour slowly and keep it cold.", "Let it rest."),
        ("* Ada takes the minutes.\n* Ben books it.\nNext meeting: Tuesday at ten o'clock.", "Ben books it."),
        ("Mix the oats well.\nTopping: Two spoons of honey and the rest of the nuts.", "Mix the oats well."),
        ("a) Pay the fee.\nb) Send the form.\nThe office answers within a week of that.", "Send the form."),
        (
            "1) Eins.\n2) Den Hahn schließen.\nDanach ist die Leitung leer und offen.",
            "Den Hahn schließen.",
        ),
        ("- Install it.\n- Run it once.\n\nThe program writes a log file.", "Run it once."),
        ("The shop is shut.\nWe open again on Monday after the holiday of the town.", "The shop is shut."),
    ],
)
def test_a_line_that_ends_early_ends_its_paragraph(text: str, own: str) -> None:
    assert own in texts(text)


@pytest.mark.parametrize(
    "text",
    [
        "- Take the red cable out of the box and\n  plug it in. Then wait until the lamp\n  is green.",
        "- Take the red cable out of the\nbox and plug it in behind the desk.",
        "The lamp is green after the start.\nSometimes it turns red, for example in\nwinter.",
        "A first line.\n\nEach sentence has a line.\nThat keeps the differences of versions short and clear.",
        "- Take the cable.\n\n  It lies in the box.",
    ],
)
def test_a_wrapped_line_continues_its_paragraph(text: str) -> None:
    assert texts(text)[-1] == " ".join(text.removeprefix("- ").removeprefix("A first line.").split())
