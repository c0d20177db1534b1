"""Texts in other encodings: the right characters, or a warning that the encoding is a guess, in every text format."""

from __future__ import annotations

import quopri
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.readers.decoding import decode
from tests.readers.conftest import Read

RUSSIAN = "Причал открыт с пяти утра до десяти вечера, кроме понедельника."
TEXTS = {
    "cp1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "cp866": RUSSIAN,
    "cp1250": "Przystań jest otwarta codziennie, ale łódź numer pięć wypływa później.",
    "iso8859-2": "Přístav je otevřen každý den, jen žlutá loď odplouvá později.",
    "cp1255": "הרציף פתוח בכל יום מחמש בבוקר.",
    "cp1256": "الرصيف مفتوح كل يوم من الساعة الخامسة صباحا.",
    "cp1254": "İskele her gün açıktır, ama ışıklar sarıdır.",
    "cp1253": "Η αποβάθρα είναι ανοιχτή κάθε μέρα εκτός από τη Δευτέρα.",
    "cp850": "Der Steg ist für größere Boote bis Ende März gesperrt.",
    "mac-roman": "Der Steg ist für größere Boote bis Ende März gesperrt.",
    "shift-jis": "桟橋は毎日朝五時から開いています。",
    "euc-jp": "桟橋は毎日朝五時から開いています。",
    "gbk": "码头每天早上五点开放，星期一除外。",
    "big5": "碼頭每天早上五點開放，星期一除外。",
    "euc-kr": "선착장은 월요일을 제외하고 매일 열려 있습니다.",
}
GUESS = "The characters are a guess"
Make = Callable[[str, str], bytes]


def mail(text: str, encoding: str) -> bytes:
    head = b"From: a@example.org\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n"
    return head + quopri.encodestring(text.encode(encoding))


FORMATS: dict[str, Make] = {
    "a.txt": lambda text, encoding: text.encode(encoding),
    "README": lambda text, encoding: text.encode(encoding),
    "a.md": lambda text, encoding: f"# 1\n\n{text}\n".encode(encoding),
    "a.csv": lambda text, encoding: f"1;2\n{text.replace(';', ',')};3\n".encode(encoding),
    "a.json": lambda text, encoding: f'{{"a": "{text}"}}'.encode(encoding),
    "a.py": lambda text, encoding: f"# {text}\nx = 1\n".encode(encoding),
    "a.html": lambda text, encoding: f"<html><body><p>{text}</p></body></html>".encode(encoding),
    "a.eml": mail,
    "a.ics": lambda text, encoding: (
        f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{text.replace(',', chr(92) + ',')}\nEND:VEVENT\nEND:VCALENDAR\n"
    ).encode(encoding),
}
DECLARED: dict[str, Make] = {
    "a.html": lambda text, encoding: f"<html><meta charset='{encoding}'><p>{text}</p></html>".encode(encoding),
    "a.xml": lambda text, encoding: f'<?xml version="1.0" encoding="{encoding}"?>\n<a>{text}</a>'.encode(encoding),
    "a.py": lambda text, encoding: f"# -*- coding: {encoding} -*-\n# {text}\n".encode(encoding),
    "a.eml": lambda text, encoding: f"Subject: x\nContent-Type: text/plain; charset={encoding}\n\n{text}\n".encode(
        encoding
    ),
}  # fmt: skip


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("name", FORMATS)
def test_a_text_without_a_declared_code_page_is_read_and_called_a_guess(
    tmp_path: Path, read: Read, name: str, encoding: str
) -> None:
    (tmp_path / name).write_bytes(FORMATS[name](TEXTS[encoding], encoding))
    document, blocks = read(tmp_path / name)
    assert TEXTS[encoding] in " ".join(block.content for block in blocks)
    assert [warning for warning in document.warnings if warning.startswith(GUESS)]


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("name", DECLARED)
def test_a_text_with_a_declared_code_page_is_not_a_guess(tmp_path: Path, read: Read, name: str, encoding: str) -> None:
    (tmp_path / name).write_bytes(DECLARED[name](TEXTS[encoding], encoding))
    document, blocks = read(tmp_path / name)
    assert TEXTS[encoding] in " ".join(block.content for block in blocks)
    assert document.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "Größe: 5 €",
        "Fermé",
        "The ferry leaves at six, and the café opens at seven.",
        "Le quai est ouvert chaque jour sauf le lundi. " * 20 + "Fermé en août.",
    ],
)
def test_western_texts_with_few_accents_are_read_as_before(text: str) -> None:
    assert decode(text.encode("cp1252")) == (text, ())
    assert decode(text.encode()) == (text, ())


def test_an_implausible_declared_code_page_is_ignored() -> None:
    said = decode(RUSSIAN.encode("cp1251"), "iso-8859-1")
    assert said.text == RUSSIAN
    assert said.warnings[0].startswith(GUESS)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [RUSSIAN, TEXTS["gbk"] + "\r\n", "Der Steg ist gesperrt."])
def test_utf_16_without_a_bom_is_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_an_invalid_byte_in_utf_8_costs_one_character_and_is_reported() -> None:
    said = decode("Der Steg für größere Boote.\n".encode() * 3 + b"\xd6l\n")
    assert said.text.endswith("größere Boote.\nÖl\n")
    assert said.warnings == ("1 byte is not UTF-8, unlike the rest; the characters there are a guess.",)


def test_utf_8_decoded_as_windows_1252_is_repaired_or_reported() -> None:
    garbled = "Der Steg fÃ¼r grÃ¶ÃŸere Boote."
    assert decode(garbled.encode()).text == "Der Steg für größere Boote."
    assert "repaired" in decode(garbled.encode()).warnings[0]
    partly = decode(f"{garbled} Öl.".encode())
    assert partly.text == f"{garbled} Öl."
    assert "look garbled" in partly.warnings[0]
    assert decode("ExposÃ© means Exposé.".encode()).warnings == ()


@pytest.mark.parametrize("is_escaped", [False, True])
def test_an_rtf_is_read_in_its_code_page(tmp_path: Path, read: Read, is_escaped: bool) -> None:
    data = RUSSIAN.encode("cp1251")
    said = "".join(f"\\'{byte:02x}" for byte in data).encode() if is_escaped else data
    (tmp_path / "a.rtf").write_bytes(b"{\\rtf1\\ansi\\ansicpg1251 " + said + b"\\par}")
    _, blocks = read(tmp_path / "a.rtf")
    assert RUSSIAN in blocks[0].content


def test_a_few_stray_zero_bytes_do_not_make_a_text_utf_16() -> None:
    data = b"Depth is 450 m.\x00\x01\x02 Pier closed until the ninth of June."
    assert decode(data).text.startswith("Depth is 450 m.")
