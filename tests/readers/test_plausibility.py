"""Nonsense characters are distinguished from every text that only looks odd."""

from __future__ import annotations

import base64
import random
import string

import pytest

from corpus.readers.plausibility import count_unmapped, is_readable

PROSE = {
    "en": "The keeper of the tower lights the lamp before the fog comes in. He writes the hour, the wind and the names "
    "of all ships that pass between the reef and the harbour, and in spring he paints the rails.",
    "de": "Der Wärter des Turmes zündet die Lampe an, bevor der Nebel kommt. Er schreibt die Stunde, den Wind und die "
    "Namen aller Schiffe auf, die zwischen dem Riff und dem Hafen fahren.",
    "fi": "Tornin vartija sytyttää lampun ennen kuin sumu tulee. Hän kirjoittaa muistiin tunnin, tuulen ja kaikkien "
    "riutan ja sataman välistä kulkevien laivojen nimet sekä maalaa kaiteet keväällä.",
    "tr": "Kulenin bekçisi sis gelmeden önce lambayı yakar. Saati, rüzgârı ve kayalıklarla liman arasından geçen "
    "bütün gemilerin adlarını yazar, ilkbaharda da korkulukları boyar.",
    "cy": "Mae ceidwad y tŵr yn cynnau'r lamp cyn i'r niwl ddod i mewn. Mae'n ysgrifennu'r awr, y gwynt ac enwau'r "
    "holl longau sy'n pasio rhwng y riff a'r harbwr, ac yn y gwanwyn mae'n paentio'r rheiliau.",
    "vi": "Người gác tháp thắp đèn trước khi sương mù kéo đến. Ông ghi giờ, hướng gió và tên của mọi con tàu đi qua "
    "giữa rạn đá và bến cảng, và mùa xuân ông sơn lại lan can.",
    "ru": "Смотритель башни зажигает лампу до того, как придёт туман. Он записывает час, ветер и имена всех судов.",
    "zh": "塔楼的看守人在雾来之前点亮灯。他写下时间、风向和所有经过礁石与港口之间的船只的名字。",
    "ja": "塔の番人は霧が出る前に灯をともす。時刻と風向き、礁と港の間を通るすべての船の名を書き留める。",
    "ar": "يشعل حارس البرج المصباح قبل أن يأتي الضباب ويكتب الساعة والريح وأسماء جميع السفن التي تمر.",
}

ODD = {
    "part numbers": "\n".join(f"QX-{n * 37 % 9973}b KR{n}a M{n % 8}x1.5 VLTRN" for n in range(60)),
    "base64": base64.b64encode(random.Random(4).randbytes(1500)).decode(),
    "DNA": "".join(random.Random(4).choices("acgt", k=900)),
    "passwords": " ".join(
        "".join(random.Random(n).choices(string.ascii_letters + string.digits, k=11)) for n in range(90)
    ),
    "code": "def f(xs):\n    return [str(x)[::-1] for x in xs if x >> 3]\n\nstruct vec3 { float x, y, z; };\n" * 5,
    "formulas": "∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−f(a)|<ε, ∑ᵢ xᵢ² ≤ λ‖y‖, sin cos tan ln exp lim sup inf\n" * 5,
    "names": "Krzysztof Brzezicki, Srdjan Krk, Zdenek Smrz, Hrvoje Vrh, Grzegorz Szczepan, Nguyen Thi\n" * 3,
    "phonetics": "ðə ˈkwɪk braʊn fɒks ˈdʒʌmps ˈəʊvə ðə ˈleɪzi dɒɡ " * 6,
}

CIPHERS = [
    dict(zip(string.ascii_lowercase, string.ascii_lowercase[step:] + string.ascii_lowercase[:step], strict=True))
    for step in (3, 9, 13)
]


@pytest.mark.parametrize("text", [*PROSE.values(), *ODD.values()], ids=[*PROSE, *ODD])
def test_text_of_any_language_and_kind_is_readable(text: str) -> None:
    assert is_readable(text)
    assert count_unmapped(text) == 0


@pytest.mark.parametrize("language", ["en", "de", "fi"])
@pytest.mark.parametrize("cipher", CIPHERS, ids=["3", "9", "13"])
def test_letters_that_stand_for_other_letters_are_not_text(language: str, cipher: dict[str, str]) -> None:
    capital = {key.upper(): value.upper() for key, value in cipher.items()}
    assert not is_readable(PROSE[language].translate(str.maketrans(cipher | capital)))


@pytest.mark.parametrize(("encoding", "wrong"), [("cp1251", "cp1252"), ("koi8-r", "latin-1"), ("cp1253", "latin-1")])
def test_another_alphabet_decoded_as_latin_is_not_text(encoding: str, wrong: str) -> None:
    text = "Η λάμπα του πύργου ανάβει πριν την ομίχλη" if encoding == "cp1253" else PROSE["ru"].replace("ё", "е")
    assert not is_readable(text.encode(encoding, "ignore").decode(wrong, "ignore"))


@pytest.mark.parametrize("sign", ["\0", "\x07", "\ue005", "\ufffd", "\U000f0001"])
def test_many_symbols_that_are_not_characters_make_a_text_unreadable(sign: str) -> None:
    text = PROSE["en"].replace("th", sign)
    assert count_unmapped(text) > 3
    assert not is_readable(text)
    assert is_readable(PROSE["en"] * 3 + sign)


def test_glyph_numbers_decoded_as_letters_are_not_text() -> None:
    prose = " ".join(PROSE[language] for language in ("en", "de"))
    assert not is_readable("".join(chr(ord(c) - 29) if "a" <= c.lower() <= "z" else c for c in prose))
    assert not is_readable("".join(chr(33 + ord(c) % 14) if c.isalpha() else c for c in prose))
    assert is_readable(prose.upper())
