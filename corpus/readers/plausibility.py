"""Tell text that a person can read from letters that a wrong code page or a font without a proper map gave.

The checks hold for every script and language, and for lists of names, part numbers, code and formulas: what they cannot
judge counts as readable. A wrong "unreadable" costs more than a missed one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from corpus.readers.languages import surprise

_NO_CHARACTERS = frozenset(("Cc", "Co", "Cn", "Cs"))
_SPACES = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
_MAX_UNMAPPED = 0.03
"""Share of the characters: of English, 3 % are in ligatures at most."""
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]?[a-zß-öø-ÿ\u0101-\u024f]+(?![^\W_])")
"""A word in Latin letters, small but for the first: no part number, no Base64, no DNA."""
_CAPITALS = re.compile(r"(?<![^\W_])[A-Z\d]?[A-Z]{1,19}(?![^\W_])")
"""A word in capitals; fonts of which only the numbers of the glyphs are known give "7KH PLOO" for "The mill"."""
_MIN_CAPITALS = 200
"""Letters, of which so many make more than a list of abbreviations."""
_MIN_MARKS = 100
_MAX_ALIKE = 0.5
_MIN_KINDS = 8
"""Punctuation of so many kinds, none of which is most of it, is no rule, and no table of contents with its dots."""
_MIN_LETTERS = 80
"""In distinct words; of fewer, one text in a hundred of languages outside the model was taken for a cipher."""
_MIN_DISTINCT = 12
_MIN_SHARE = 0.7
"""Of the characters that words have to make up for their letters to be judged: of prose 0.85 to 0.95, of code less."""
_MAX_SURPRISE = 10.4
"""Texts of the model's languages have 8.3 to 9.5, ciphers 10.6 to 12.3, other languages up to 12.4."""
_GLANCE, _NO_SURPRISE = 500, 9.8
"""Characters that suffice where they are no surprise at all: a fifth of the time, and all but a few texts pass so."""
_VOWELS = frozenset("aeiouyæøœəıh")
"""With h, which takes the place of a vowel in Gaelic."""
_MIN_VOWELS = 3
"""Of the four commonest; one less in a text of fewer than _MANY_LETTERS. So 1 in 1,000 texts of 130 languages is taken
for a cipher, and 1 in 13 ciphers passes."""
_MANY_LETTERS = 200
_MAX_ACCENTS = 0.5
"""Of the Latin letters. Vietnamese has 0.3; Cyrillic, Greek or Arabic read as Latin-1 has more than 0.9."""


def is_readable(text: str) -> bool:
    """Return False where the letters of `text` certainly make no sense, True for all else, doubt included."""
    written = [character for character in text if not character.isspace()]
    if not written:
        return True
    if unmapped(text) > _MAX_UNMAPPED * len(written):
        return False
    return not (_is_accented(written) or _is_punctuation(written) or _is_cipher(text, len(written)))


def unmapped(text: str) -> int:
    """Count what stands for no character: controls, private use, U+FFFD, code points that mean nothing.

    One that stands alone between spaces is no letter but a bullet or an icon of a symbol font, and is not counted.
    """
    if "\ufffd" not in text and "".join(text.split()).isprintable():
        return 0
    padded = f" {text} "
    return sum(
        is_unmapped(character) and not (before.isspace() and after.isspace())
        for before, character, after in zip(padded, text, padded[2:], strict=False)
    )


def is_unmapped(character: str) -> bool:
    """Whether it stands for no character."""
    if character < "\x7f":
        return character < " " and character not in _SPACES
    return character == "\ufffd" or (
        unicodedata.category(character) in _NO_CHARACTERS and character not in _SPACES
    )


def _is_accented(written: list[str]) -> bool:
    """Whether letters of Latin-1 with an accent outnumber those without, as no language has them."""
    if "".join(written).isascii():
        return False
    latin = [character for character in written if character.isalpha() and character < "\u0100"]
    accented = sum(character > "\x7f" and character not in "ªµº" for character in latin)
    return len(latin) >= _MIN_LETTERS / 4 and accented > _MAX_ACCENTS * len(latin)


def _is_punctuation(written: list[str]) -> bool:
    """Whether it is nothing but signs of many kinds, as of fonts whose glyphs are numbered from `!` on."""
    if len(written) < _MIN_MARKS or sum(map(str.isalnum, written)) > 0.1 * len(written):
        return False
    marks = Counter(character for character in written if "!" <= character <= "/" or ":" <= character <= "@")
    return (
        marks.total() >= max(_MIN_MARKS, 0.9 * len(written))
        and len(marks) >= _MIN_KINDS
        and max(marks.values()) < _MAX_ALIKE * marks.total()
    )


def _is_cipher(text: str, written: int) -> bool:
    """Whether it is Latin letters put for other ones: no language has such n-grams, and its vowels are no vowels."""
    words, fewest_letters = _WORD.findall(text), _MIN_LETTERS
    if sum(map(len, words)) < _MIN_SHARE * written:
        words, fewest_letters = [word.lower() for word in _CAPITALS.findall(text)], _MIN_CAPITALS
    if sum(map(len, words)) < _MIN_SHARE * written:
        return False
    words = list(dict.fromkeys(words))  # a few abbreviations again and again are no language either
    letters = sum(map(len, words))
    if letters < fewest_letters:
        return False
    joined = " ".join(words)
    if (surprise(joined[:_GLANCE]) or 0.0) <= _NO_SURPRISE or (surprise(joined) or 0.0) <= _MAX_SURPRISE:
        return False
    plain = [_without_accents(word.lower()) for word in words]
    is_prose = fewest_letters == _MIN_LETTERS
    fewest = _MIN_VOWELS if is_prose and letters >= _MANY_LETTERS else _MIN_VOWELS - 1
    return len(set().union(*plain)) >= _MIN_DISTINCT and len(vowels(plain) & _VOWELS) < fewest


def vowels(words: list[str]) -> set[str]:
    """The four commonest letters that act as vowels: Sukhotin's algorithm, for which vowels stand beside consonants."""
    beside: dict[str, Counter[str]] = {}
    for word in words:
        for before, after in pairwise(word):
            if before != after:
                beside.setdefault(before, Counter())[after] += 1
                beside.setdefault(after, Counter())[before] += 1
    sums = {letter: counts.total() for letter, counts in beside.items()}
    found: list[str] = []
    while sums and len(found) < 4:
        letter = max(sums, key=sums.__getitem__)
        if sums.pop(letter) <= 0:
            break
        found.append(letter)
        for other in sums:
            sums[other] -= 2 * beside[other][letter]
    return set(found)


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
