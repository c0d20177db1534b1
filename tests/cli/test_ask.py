"""`ibid ask`, as a user sees it on a terminal and as a program sees it."""

from __future__ import annotations

import json
import re
import stat
import time
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from corpus.access import Caller
from corpus.citing.protocol import Claim
from corpus.synthesis import synthesizer
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.refusal import answered_words, sureness
from corpus.synthesis.request import Turn
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_text import citations_once, with_answer_marked
from server.answer_page.answer_words import for_people, verdict, words_for_question
from server.commands import last_exchange
from server.commands.ask_terminal import with_records
from server.commands.last_exchange import FILE, store_turns, stored_turns
from tests.cli.conftest import Run

QUESTION = ("How", "fast", "does", "the", "impeller", "turn?")
NUMBER = re.compile(r"\b0\.\d\d\b")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the output as a terminal of 80 columns."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def ingested(run: Run, notes: Path) -> Path:
    (notes / "seal.md").write_text("# Seal\n\nThe seal of the pump lasts five years in clean water.\n")
    assert run("ingest", notes).exit_code == 0
    return notes


def plain(text: str) -> str:
    """Return the text as a reader sees it."""
    return re.sub(r"\x1b\][^\x1b]*\x1b\\|\x1b\[[\d;]*m", "", text)


@pytest.mark.usefixtures("ingested")
def test_a_question_needs_no_quotes(run: Run) -> None:
    done = run("ask", *QUESTION)
    assert done.exit_code == 0
    assert done.stdout == run("ask", " ".join(QUESTION)).stdout
    assert "2900 revolutions" in done.stdout


@pytest.mark.usefixtures("ingested", "terminal")
def test_a_person_first_reads_whether_it_is_answered_and_the_confidence_as_a_word(run: Run) -> None:
    first, *rest = plain(run("ask", *QUESTION).output).splitlines()
    assert first == "Answered: very likely, 1 source."
    assert not NUMBER.search("\n".join(rest))
    assert "Confidence" not in "\n".join(rest)
    assert "Answer to" not in "\n".join(rest)


@pytest.mark.usefixtures("ingested", "terminal")
def test_an_unanswered_question_is_reported_once(run: Run) -> None:
    said = plain(run("ask", "What", "is", "the", "capital", "of", "France?").output)
    assert said.startswith("Your documents do not seem to answer this.\n")
    assert "seems to answer" not in said


@pytest.mark.usefixtures("ingested")
def test_a_program_gets_the_confidence_as_number_and_word(run: Run) -> None:
    told = json.loads(run("ask", *QUESTION, "--json").stdout)
    assert (told["answered"], told["sureness"], told["confidence"]) == (True, "very likely", 0.8)
    assert told["question"] == " ".join(QUESTION)
    assert "pumps.md" in told["sources"][0]["block_id"] or "pumps.md" in told["answer"]
    assert "2900" in told["answer"]


@pytest.mark.usefixtures("ingested")
def test_if_no_answer_can_be_made_the_hits_are_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(synthesizer, "compose_answer", broken)
    said = run("ask", *QUESTION).output
    assert "No answer could be put together." in said
    assert "2900 revolutions" in said
    assert "do not seem to answer" not in said


@pytest.mark.usefixtures("ingested", "terminal")
def test_the_words_that_answer_are_bold(run: Run) -> None:
    assert "\x1b[1m2900 revolutions\x1b[0m" in run("ask", *QUESTION).output


@pytest.mark.usefixtures("ingested", "terminal")
def test_no_color_also_disables_bold(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    said = run("ask", *QUESTION).output
    assert "\x1b" not in said
    assert "*" not in said


@pytest.mark.usefixtures("terminal")
def test_no_markdown_backslash_is_shown(run: Run, notes: Path) -> None:
    (notes / "a_b.md").write_text("The impeller_speed [rpm] is *not* 3*4 but 2900 at contact@example.org.\n")
    run("ingest", notes)
    said = plain(run("ask", "impeller_speed").output)
    assert "impeller_speed [rpm]" in said
    assert "\\" not in said


@pytest.mark.usefixtures("ingested")
def test_open_shows_the_page_in_the_browser_from_a_private_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    done = run("ask", *QUESTION, "--open")
    assert done.exit_code == 0
    file = Path(unquote(urlsplit(opened[0]).path))
    assert str(file) in done.output
    assert "2900 revolutions" in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.usefixtures("ingested")
def test_open_with_html_shows_that_file_and_a_missing_browser_is_not_a_failure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    done = run("ask", *QUESTION, "--open", "--html", tmp_path / "a.html")
    assert done.exit_code == 0
    assert "No browser could be opened" in done.output
    assert (tmp_path / "a.html").exists()


def test_a_follow_up_continues_from_the_last_question(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "gecko-101.md").write_text("The Gecko 101 weighs 12 kg and climbs walls.\n")
    (notes / "gecko-202.md").write_text("The Gecko 202 weighs 31 kg and climbs steel.\n")
    run("ingest", notes)
    assert "12 kg" in run("ask", "How", "heavy", "is", "the", "Gecko", "101?").stdout
    assert "31 kg" in run("ask", "And", "the", "Gecko", "202?", "--continue").stdout
    assert stat.S_IMODE((tmp_path / "index" / FILE).stat().st_mode) == 0o600
    run("remove", "gecko-101.md")
    assert run("ask", "Why?", "--continue").exit_code == 2


@pytest.mark.usefixtures("ingested")
def test_without_a_recent_question_there_is_nothing_to_continue(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no question of the last hour" in run("ask", "Why?", "--continue").output
    run("ask", *QUESTION)
    monkeypatch.setenv("RAG_USER_ID", "somebody-else")
    assert run("ask", "Why?", "--continue").exit_code == 2
    monkeypatch.delenv("RAG_USER_ID")
    assert run("ask", "Why?", "--continue").exit_code == 0
    now = time.time()
    for moment in (now + 2 * 3600, now - 3600):  # later, and after the clock was set back
        monkeypatch.setattr(last_exchange.time, "time", lambda: moment)  # noqa: B023
        assert run("ask", "Why?", "--continue").exit_code == 2


@pytest.mark.parametrize("held", ["", "[]", "{}", '{"caller": 1, "time": "x", "turns": 3}'])
def test_a_damaged_file_of_the_last_answer_is_ignored(tmp_path: Path, held: str) -> None:
    (tmp_path / FILE).write_text(held)
    assert stored_turns(tmp_path, Caller()) == ()
    store_turns(tmp_path, Caller(), [Turn("user", f"Question {n}") for n in range(9)])
    assert [turn.text for turn in stored_turns(tmp_path, Caller())] == [f"Question {n}" for n in range(3, 9)]
    assert [one.name for one in tmp_path.iterdir()] == [FILE]


WIDE = "| Date | Vendor | Note |\n| --- | --- | --- |\n| 2024-05-16 | A \\| B | |\n| 2024-06-05 | Hotel | trade fair |"


def test_a_table_that_does_not_fit_becomes_records() -> None:
    assert with_records(f"Before.\n\n{WIDE}\n\nAfter.", 20) == (
        "Before.\n\n\n**Date:** 2024-05-16  \n**Vendor:** A | B\n"
        "\n**Date:** 2024-06-05  \n**Vendor:** Hotel  \n**Note:** trade fair\n\n\nAfter."
    )


def test_a_table_that_fits_stays_a_table() -> None:
    assert with_records(WIDE, 80) == WIDE


@pytest.mark.usefixtures("terminal")
def test_a_wide_table_is_printed_column_by_column_on_a_terminal(run: Run, notes: Path) -> None:
    names = [f"Measurement{n}" for n in range(24)]
    (notes / "wide.csv").write_text(",".join(names) + "\n" + ",".join(f"value{n}" for n in range(24)) + "\n")
    run("ingest", notes)
    said = plain(run("ask", "Measurement3", "value3").output)
    assert "Measurement3: value3" in said
    assert "Measurement23: value23" in said
    assert "…" not in said


@pytest.mark.parametrize(
    ("warning", "left"),
    [
        ("3 further blocks did not fit; ask for them by block_ids or with a narrower question.",
         ("3 further blocks did not fit.",)),
        ("Not shown to the model: a.pdf. A narrower question, or block_ids, brings them in.",
         ("Not shown to the model: a.pdf.",)),
        ("Call rag_list_documents.", ()),
        ("There is no embedding model; searches go by words.",
         ("There is no embedding model; searches go by words.",)),
        ("Nothing that was found seems to answer this (relevance 0.34 of 1). No document has rent.",
         ("No document has rent.",)),
    ],
)  # fmt: skip
def test_advice_for_programs_is_not_shown_to_a_person(warning: str, left: tuple[str, ...]) -> None:
    assert for_people([warning], answered=False) == left


@pytest.mark.parametrize(
    ("confidence", "word"), [(0.95, "very likely"), (0.8, "very likely"), (0.6, "likely"), (0.49, "unsure")]
)
def test_confidence_is_shown_as_a_word(confidence: float, word: str) -> None:
    assert sureness(confidence) == word


@pytest.mark.parametrize(
    ("answer", "confidence", "answered"),
    [
        ("# Answer to: x\n\nThe pump turns.", 0.6, True),
        ("The pump turns.", 0.6, True),
        ("The pump turns.", 0.0, False),
    ],
)
def test_an_answer_without_confidence_or_that_says_so_answers_nothing(
    answer: str, confidence: float, answered: bool
) -> None:
    assert answered_words(Synthesis(answer, "compose", confidence=confidence)) is answered


def test_the_verdict_is_in_the_language_of_the_question() -> None:
    german = words_for_question("Wer ist der Vermieter?")
    assert verdict(german, answered=True, confidence=0.6, sources=2) == "Beantwortet: wahrscheinlich, 2 Quellen."
    assert verdict(german, answered=False, confidence=0, sources=0) == german.unanswered


def test_a_figure_from_the_same_page_does_not_repeat_the_source() -> None:
    cited, figure = "*(Source: pump.pdf, S. 4)*", "![A pump](rag://blocks/f1/image)"
    assert citations_once(f"It turns.\n\n{cited}\n\n{figure}\n\n{cited}\n\nMore.") == (
        f"It turns.\n\n{cited}\n\n{figure}\n\nMore."
    )
    other = "*(Source: pump.pdf, S. 5)*"
    kept = f"It turns.\n\n{cited}\n\n{figure}\n\n{other}\n\nMore.\n\n{other}"
    assert citations_once(kept) == kept


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        ("How fast does it turn?", "It turns at 2900 rpm.", "It turns at **2900 rpm**."),
        ("When does it move?", "The server moves on 12 May 2025.", "The server moves on **12 May 2025**."),
        ("How often is it checked?", "It is checked monthly.", "It is checked **monthly**."),
        ("Wie lange läuft er?", "Er läuft fünf Jahre lang.", "Er läuft **fünf Jahre** lang."),
        ("Wie teuer ist es?", "Es kostet 1.250,00 € im Jahr.", "Es kostet **1.250,00 €** im Jahr."),
        ("Who wrote it?", "It was written by Ada Lovelace.", "It was written by **Ada Lovelace**."),
        ("How heavy is the Gecko 101?", "The Gecko 101 is heavy.", "The Gecko 101 is heavy."),
        ("Why does it stop?", "It stops when dry.", "It stops when dry."),
    ],
)  # fmt: skip
def test_requested_values_and_names_are_marked(question: str, text: str, marked: str) -> None:
    assert with_answer_marked(text, [claim(text, text)], question) == marked


def test_without_a_requested_value_the_first_of_several_sentences_is_marked() -> None:
    text = "It stops when dry. It starts again by itself."
    claims = [claim("It stops when dry.", text), claim("It starts again by itself.", text)]
    assert with_answer_marked(text, claims, "Why does it stop?") == (
        "**It stops when dry.** It starts again by itself."
    )


def claim(sentence: str, text: str) -> CheckedClaim:
    start = text.index(sentence)
    return CheckedClaim(Claim(sentence, start, start + len(sentence), "sentence", (1,)), "found", 1.0)
