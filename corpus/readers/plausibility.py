"""Distinguish readable text from text decoded with a wrong code page or from a font without a proper character map.

The checks work for every script and language, and for lists of names, part numbers, code and formulas. If in doubt,
they accept the text as readable, because rejecting good text does more harm than accepting bad text.
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
"""Maximum fraction of unmapped characters. In English, at most 3 % of the characters are ligatures."""
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]?[a-zß-öø-ÿ\u0101-\u024f]+(?![^\W_])")
"""A word in lower-case Latin letters, whose first letter may be a capital. This excludes part numbers, Base64 and
DNA."""
_CAPITALS = re.compile(r"(?<![^\W_])[A-Z\d]?[A-Z]{1,19}(?![^\W_])")
"""A word in capitals. Text in a font that has only glyph numbers looks like this: "7KH PLOO" for "The mill"."""
_MIN_CAPITALS = 200
"""Minimum number of characters in words in capitals. A list of abbreviations has fewer."""
_MIN_MARKS = 100
"""Minimum number of punctuation marks; fewer are inconclusive."""
_MAX_ALIKE = 0.5
"""Maximum fraction of the most common punctuation mark. Above it, the text is a ruled line or a table of contents."""
_MIN_KINDS = 8
"""Minimum number of different punctuation marks. A ruled line, or a table of contents with its dots, has fewer."""
_MIN_LETTERS = 80
"""Minimum number of letters in distinct words. With fewer, 1 % of texts in languages outside the model were mistaken
for ciphers."""
_MIN_DISTINCT = 12
"""Minimum number of distinct characters; with fewer, the vowels cannot be identified."""
_MIN_SHARE = 0.7
"""Minimum fraction of characters that belong to words for the letters to be checked: prose has 0.85 to 0.95, code
less."""
_MAX_SURPRISE = 10.4
"""Maximum surprise. Texts in the model's languages have 8.3 to 9.5, ciphers 10.6 to 12.3, other languages up to
12.4."""
_GLANCE, _NO_SURPRISE = 500, 9.8
"""Number of characters checked first, and their maximum surprise for the text to pass without further checks. Nearly
all texts pass this check, which takes a fifth of the time."""
_VOWELS = frozenset("aeiouyæøœəıh")
"""Vowels, and h, which takes the position of a vowel in Gaelic."""
_MIN_VOWELS = 3
"""Minimum number of vowels among the four most common letters; one fewer if the words are in capitals or have fewer
than _MANY_LETTERS letters in total. With this limit, 1 in 1,000 texts of 130 languages counts as a cipher, and 1 in 13
ciphers passes."""
_MANY_LETTERS = 200
_MAX_ACCENTS = 0.5
"""Maximum fraction of accented letters among Latin letters. Vietnamese has 0.3; Cyrillic, Greek or Arabic decoded as
Latin-1 has more than 0.9."""


def is_readable(text: str) -> bool:
    """Return False only if the text is certainly meaningless."""
    printable = [character for character in text if not character.isspace()]
    if not printable:
        return True
    if count_unmapped(text) > _MAX_UNMAPPED * len(printable):
        return False
    return not (_is_accented(printable) or _is_punctuation(printable) or _is_cipher(text, len(printable)))


def count_unmapped(text: str) -> int:
    """Count the code points that are not characters: controls, private use, U+FFFD, unassigned.

    A single one between spaces is a bullet or icon of a symbol font and does not count.
    """
    if "\ufffd" not in text and "".join(text.split()).isprintable():
        return 0
    padded = f" {text} "
    return sum(
        is_unmapped(character) and not (before.isspace() and after.isspace())
        for before, character, after in zip(padded, text, padded[2:], strict=False)
    )


def is_unmapped(character: str) -> bool:
    """Return whether a code point is not a character."""
    if character < "\x7f":
        return character < " " and character not in _SPACES
    return character == "\ufffd" or (unicodedata.category(character) in _NO_CHARACTERS and character not in _SPACES)


def _is_accented(printable: list[str]) -> bool:
    """Return whether there are more accented Latin-1 letters than plain ones, which is true in no language."""
    if "".join(printable).isascii():
        return False
    latin = [character for character in printable if character.isalpha() and character < "\u0100"]
    accented = sum(character > "\x7f" and character not in "ªµº" for character in latin)
    return len(latin) >= _MIN_LETTERS / 4 and accented > _MAX_ACCENTS * len(latin)


def _is_punctuation(printable: list[str]) -> bool:
    """Return whether the text consists only of many different punctuation marks, as with fonts whose glyphs are
    numbered from `!`."""
    if len(printable) < _MIN_MARKS or sum(map(str.isalnum, printable)) > 0.1 * len(printable):
        return False
    marks = Counter(character for character in printable if "!" <= character <= "/" or ":" <= character <= "@")
    return (
        marks.total() >= max(_MIN_MARKS, 0.9 * len(printable))
        and len(marks) >= _MIN_KINDS
        and max(marks.values()) < _MAX_ALIKE * marks.total()
    )


def _is_cipher(text: str, printable_count: int) -> bool:
    """Return whether Latin characters stand for other ones: no language has these n-grams, and the most common
    characters are not vowels."""
    words, fewest_letters = _WORD.findall(text), _MIN_LETTERS
    if sum(map(len, words)) < _MIN_SHARE * printable_count:
        words, fewest_letters = [word.lower() for word in _CAPITALS.findall(text)], _MIN_CAPITALS
    if sum(map(len, words)) < _MIN_SHARE * printable_count:
        return False
    words = list(dict.fromkeys(words))  # repeated abbreviations do not make a language either
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
    """Return the four most common letters that behave like vowels. This is Sukhotin's algorithm, which assumes that
    vowels are next to consonants."""
    beside: dict[str, Counter[str]] = {}
    for word in words:
        for before, after in pairwise(word):
            if before != after:
                beside.setdefault(before, Counter())[after] += 1
                beside.setdefault(after, Counter())[before] += 1
    sums = {letter: counts.total() for letter, counts in beside.items()}
    candidates: list[str] = []
    while sums and len(candidates) < 4:
        letter = max(sums, key=sums.__getitem__)
        if sums.pop(letter) <= 0:
            break
        candidates.append(letter)
        for other in sums:
            sums[other] -= 2 * beside[other][letter]
    return set(candidates)


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
