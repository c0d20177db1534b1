"""Plain-text bodies: their paragraphs, and the mails that they quote."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus.readers.elements.element import Heading, Paragraph
from corpus.readers.mail.plain_body import body_elements, unflow
from corpus.synthesis.extractive.parts import paragraphs
from tests.readers.conftest import Read

HEAD = "From: ann@example.org\nSubject: Order 7\n"


def written(folder: Path, body: str, head: str = "Content-Type: text/plain; charset=utf-8\n") -> Path:
    (folder / "a.eml").write_text(f"{HEAD}{head}\n{body}", encoding="utf-8")
    return folder / "a.eml"


def outline_of(body: str) -> list[str]:
    """Return the elements of a body. Headings have a mark."""
    elements = list(body_elements(body))
    assert all(isinstance(element, Heading | Paragraph) for element in elements)
    return [
        f"# {element.text}" if isinstance(element, Heading) else element.text
        for element in elements
        if isinstance(element, Heading | Paragraph)
    ]


def test_headings_and_numbered_lines_of_a_body_are_separate_paragraphs(tmp_path: Path, read: Read) -> None:
    body = "Guten Tag,\n\n1. Ursache\n\nDer Schlauch ist\ngerissen.\n\n2. Umfang\n\n- Parkett\n- Wand\n\nGruß\nMarion\n"
    (block,) = read(written(tmp_path, body))[1]
    assert block.content.endswith(body.rstrip())
    assert [paragraph.text for paragraph in paragraphs(block.content, wrapped=True)][-7:] == [
        "Guten Tag,", "Ursache", "Der Schlauch ist gerissen.", "Umfang", "Parkett", "Wand", "Gruß Marion",
    ]  # fmt: skip


QUOTED = {
    "English": ("On Mon, 3 Feb 2025 at 09:26, Daniel Hollis wrote:",),
    "English on two lines": ("On Mon, 3 Feb 2025 at 09:26, Daniel Hollis", "<daniel@example.org> wrote:"),
    "German": ("Am Mo., 3. Feb. 2025 um 09:26 Uhr schrieb Daniel Hollis <daniel@example.org>:",),
    "French": ("Le lun. 3 févr. 2025 à 09:26, Daniel Hollis <daniel@example.org> a écrit :",),
    "Spanish": ("El lun, 3 feb 2025 a las 9:26, Daniel Hollis (<daniel@example.org>) escribió:",),
    "Italian": ("Il giorno lun 3 feb 2025 alle ore 09:26 Daniel Hollis ha scritto:",),
    "Dutch": ("Op ma 3 feb 2025 om 09:26 schreef Daniel Hollis <daniel@example.org>:",),
    "Portuguese": ("Em seg., 3 de fev. de 2025 às 09:26, Daniel Hollis escreveu:",),
    "Polish": ("pon., 3 lut 2025 o 09:26 Daniel Hollis <daniel@example.org> napisał(a):",),
    "Russian": ("пн, 3 февр. 2025 г. в 09:26, Daniel Hollis <daniel@example.org>:",),
    "Chinese": ("Daniel Hollis <daniel@example.org> 于2025年2月3日周一 09:26写道：",),
    "without a date": ("Daniel Hollis schrieb:",),
}


@pytest.mark.parametrize("name", QUOTED)
@pytest.mark.parametrize("mark", ["", "> "])
def test_a_quoted_mail_is_read_without_quote_marks_below_its_author(
    tmp_path: Path, read: Read, name: str, mark: str
) -> None:
    above = "".join(f"{mark}{line}\n" for line in QUOTED[name])
    body = (
        f"It leaves today.\n\nAnn\n\n{above}> Where is it? We wait\n> since May.\n>\n> - a bolt\n> - a seal\n>\n> Dan\n"
    )
    _, (first, second) = read(written(tmp_path, body))
    line = " ".join(QUOTED[name])
    assert first.content.endswith("It leaves today.\n\nAnn")
    assert second.content == f"{line}\n\nWhere is it? We wait\nsince May.\n\n- a bolt\n- a seal\n\nDan"
    assert second.heading == f"Order 7 > {line}"


@pytest.mark.parametrize("marks", [(">", ">>", ">>>"), ("> ", "> > ", "> > > "), (" > ", " >> ", " >> > ")])
def test_each_level_is_below_its_own_author(marks: tuple[str, str, str]) -> None:
    lines = [
        f"{mark}On {3 - n} May 2025 at 8:0{n}, Ann {n} wrote:\n{mark.rstrip()}\n{mark}Text {n}\n{mark}goes on."
        for n, mark in enumerate(marks)
    ]
    assert outline_of("Hello\n\n" + "\n\n".join(lines)) == [
        "Hello",
        "# On 3 May 2025 at 8:00, Ann 0 wrote:", "Text 0\ngoes on.",
        "# On 2 May 2025 at 8:01, Ann 1 wrote:", "Text 1\ngoes on.",
        "# On 1 May 2025 at 8:02, Ann 2 wrote:", "Text 2\ngoes on.",
    ]  # fmt: skip


HEADERS = {
    "English": "-----Original Message-----\nFrom: Dan Hollis\nSent: Monday, 3 February 2025\nTo: Ann\nSubject: Order",
    "German": "-----Ursprüngliche Nachricht-----\nVon: Dan Hollis\nGesendet: 3. Februar\nAn: Ann\nBetreff: Order",
    "French": "________________________________\nDe : Dan Hollis\nEnvoyé : lundi 3 février\nÀ : Ann\nObjet : Order",
    "Spanish": "De: Dan Hollis\nEnviado: lunes, 3 de febrero\nPara: Ann\nAsunto: Order",
    "Italian": "-----Messaggio originale-----\nDa: Dan Hollis\nInviato: lunedì 3 febbraio\nA: Ann\nOggetto: Order",
    "Dutch": "-----Oorspronkelijk bericht-----\nVan: Dan Hollis\nVerzonden: maandag 3 februari\nOnderwerp: Order",
    "forwarded": "---------- Forwarded message ---------\nFrom: Dan Hollis\nDate: 3 Feb 2025\nSubject: Order\nTo: Ann",
    "in bold": "*From:* Dan Hollis\n*Sent:* Monday\n*To:* Ann\n*Subject:* Order",
    "Danish": "Fra: Dan Hollis\nSendt: 3. februar 2025 09:26\nTil: Ann\nEmne: Order",
    "Japanese": "差出人: Dan Hollis\n送信日時: 2025年2月3日\n宛先: Ann\n件名: Order",
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("mark", ["", "> "])
def test_the_header_of_a_quoted_mail_names_its_author(name: str, mark: str) -> None:
    quoted = "\n".join(mark + line for line in [*HEADERS[name].split("\n"), "", "Where is it?"])
    lines = HEADERS[name].split("\n")
    author = next(n for n, line in enumerate(lines) if "Dan Hollis" in line)
    assert outline_of(f"Today.\n\n{quoted}") == [
        "Today.", *lines[:author], f"# {lines[author]}", "\n".join(lines[author + 1 :]), "Where is it?",
    ]  # fmt: skip


def test_replies_between_quoted_lines_stay_in_order_below_no_heading() -> None:
    body = "On 3 May 2025 at 8:00, Ann wrote:\n> When do you come?\nOn Friday.\n\n> By train?\n\nNo, by car.\n"
    assert outline_of(body) == [
        "On 3 May 2025 at 8:00, Ann wrote:", "When do you come?", "On Friday.", "By train?", "No, by car.",
    ]  # fmt: skip


NOT_QUOTED = {
    "more than": "Prices:\n\n> 10 kg: 8 EUR\n> 20 kg: 12 EUR\n\nTax is included.",
    "at least": "Klasse 1:\n>= 5 Bar\nKlasse 2:\n>80 % Last",
    "an arrow": "Go to Settings -> Mail => Rules > New.",
    "a journey": "Von: Zürich HB\nNach: Bern\nAb: 9:30\n\nGruß",
    "a speech": "In 2019 the minister wrote:\n\nWe shall build it.\n\nHe did not.",
    "a list": "We need 3 things by 9:30:\n\n- rope\n- wood\n- tar",
    "a signature": "Bye\n\n-- \nAnn Lee\nYork",
    "a rule": "Above\n\n----------\n\nBelow",
    "numbers": "1. Cause\n\nIt broke.\n\n2. Cure\n\nMend it.",
    "an address": "Ann Lee\n4 High Street\nYork YO1 7HH",
}


@pytest.mark.parametrize("name", NOT_QUOTED)
def test_text_that_is_not_a_quotation_stays_as_written(name: str) -> None:
    assert "\n\n".join(outline_of(NOT_QUOTED[name])) == NOT_QUOTED[name].replace("-- \n", "-- \n")


def test_a_numbered_question_is_quoted() -> None:
    assert outline_of("> 1. When do you come?\n\nOn Friday.") == ["1. When do you come?", "On Friday."]


def test_flowed_lines_are_joined_within_their_level(tmp_path: Path, read: Read) -> None:
    body = "The ferry leaves \nat six.\n Stuffed line.\n\n> Is it \n> late?\n>> Yes, \n>> it is.\n\n-- \nAnn\n"
    head = "Content-Type: text/plain; charset=utf-8; format=flowed\n"
    (block,) = read(written(tmp_path, body, head))[1]
    assert block.content.endswith(
        "\n\nThe ferry leaves at six.\nStuffed line.\n\nIs it late?\n\nYes, it is.\n\n-- \nAnn"
    )


def test_flowed_lines_in_chinese_are_joined_without_a_space() -> None:
    assert unflow("渡轮在 \n六点开\n> 几点 \n> 到", deletes_spaces=True) == "渡轮在六点开\n> 几点到"


def test_soft_line_breaks_are_joined(tmp_path: Path, read: Read) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Walk"
    mail.set_content("Größe: " + "sehr lang " * 20 + "weg.\n\n> Wann?\n", cte="quoted-printable")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    assert b"=\n" in mail.as_bytes()
    (block,) = read(tmp_path / "a.eml")[1]
    assert block.content.endswith("Größe: " + "sehr lang " * 20 + "weg.\n\nWann?")


def test_a_quoted_mail_of_a_page_has_its_own_paragraphs(tmp_path: Path, read: Read) -> None:
    page = (
        "<p>It leaves today.</p><ul><li>a bolt</li><li>a seal</li></ul><div>On 3 May 2025 at 8:00, Dan wrote:<br></div>"
        "<blockquote><p>Where is it?</p><blockquote><p>In York.</p></blockquote></blockquote>"
    )
    (block,) = read(written(tmp_path, page, "Content-Type: text/html; charset=utf-8\n"))[1]
    assert block.content.endswith(
        "It leaves today.\n\n- a bolt\n- a seal\n\nOn 3 May 2025 at 8:00, Dan wrote:\n\nWhere is it?\n\nIn York."
    )


LINES = st.lists(
    st.tuples(
        st.sampled_from(["", "> ", ">", ">> ", "> > ", ">>> ", " > "]),
        st.sampled_from([
            "", "Hello Ann,", "1. Cause", "- a bolt", "12 kg", "On 3 May 2025 at 8:00, Ann wrote:", "Dan wrote:",
            "On Mon, 3 Feb 2025 at 09:26, Daniel", "<dan@example.org> wrote:", "-----Original Message-----",
            "From: Ann", "Subject: Order", "-- ", "Name    12,50", "Table 1: Costs", "word " * 80,
        ]),
    ).map("".join),
    max_size=20,
)  # fmt: skip


@given(LINES)
@example(["Table 1: Costs", "Name    12,50", "Name    12,50", "Name    12,50", "Table 2 tells " + "word " * 80])
def test_no_word_of_a_body_is_lost_or_reordered(lines: list[str]) -> None:
    said: list[str] = []
    for element in body_elements("\n".join(lines)):
        caption = getattr(element, "caption", None)
        said += [caption] if caption else []
        said += [" ".join(row) for row in element.rows] if hasattr(element, "rows") else [element.text]  # type: ignore[union-attr]
    assert re.findall(r"\w+", " ".join(said)) == re.findall(r"\w+", " ".join(lines))


@given(st.text("ab >\n-", max_size=60))
def test_no_character_of_a_flowed_text_is_lost(text: str) -> None:
    assert re.findall(r"[ab]", unflow(text)) == re.findall(r"[ab]", text)


@pytest.mark.parametrize("line", ["> ", ">" * 50, "> a:", "From: a", "On 3 May 2025 at 8:00, Ann wrote:", "a ", "---"])
def test_a_hostile_body_is_read_quickly(line: str) -> None:
    body = f"{line}\n" * 50_000
    assert all(True for _ in body_elements(unflow(body)))
    assert all(True for _ in body_elements(body))
