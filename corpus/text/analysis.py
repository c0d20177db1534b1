"""Text analysis: split text into search terms (words, identifiers, character pairs), and stem them by language.

The BM25 index contains these terms joined by spaces. Queries are analysed by the same rules and are never parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from corpus.text.normalization import clean, compatible

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MAX_TERM_CHARACTERS = 64
"""Maximum length of a term in characters. tantivy drops longer terms."""

# Scripts written without spaces: Han, kana, Hangul, Thai, Lao, Myanmar, Khmer. Korean has spaces but attaches particles
# to its words, so character pairs find more.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents that are separate characters, as in Hindi, Arabic and Hebrew. `\w` does not include them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963"
    "\u0966-\u0dff\u200c\u200d"
)
_LETTER = rf"(?:(?![_{_UNSPACED}])[\w{_MARKS}])"
_TERM = rf"{_LETTER}+(?:[-_.]{_LETTER}+)*|[{_UNSPACED}]+"
# Pattern for text without those characters: a plain character class matches much faster.
_PLAIN_TERM = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_NOT_PLAIN = f"[{_UNSPACED}{_MARKS}]"
_FIRST_UNSPACED = "\u0e00"
_UNSPACED_RUN = f"[{_UNSPACED}]"
_PARTS = re.compile(r"[-_.]")

# Most text contains none of these, and a single search of the entire text is cheaper than one per word.
_SYMBOLS_OR_GROUPS = re.compile(r"[+#^~@$<>=]|(?<!\S)(?:\.[a-z]|--[a-z])|\d[ .,'\u2019]\d{3}(?!\d)")
_SYMBOLIC = re.compile(r"(?:[\^~@#$<>=]|--|\.(?=[a-z])).*|.*[^+#][+#]{1,2}", re.DOTALL)
"""Pattern for a word in which a symbol is distinctive: `c++`, `f#`, `.net`, `^1.2.3`, `--force`, `@home`."""
_MARK_APART = r"(?<!\S)[⁰¹²³⁴-⁹]{1,3}(?!\w)"
"""Pattern for a footnote mark that is separate from words and numbers, and is not a word itself."""
_AROUND = "\"'`()[]{},;:!?*|"
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[ .,'\u2019]\d{3})+(?!\d)")
"""Pattern for a number with grouped digits: `12 000`, `12,000`, `12.000`, `12'000`."""
_NO_DIGIT = re.compile(r"\D")

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use. These character classes are large, and ASCII text, the most common, needs none of
    them."""
    return re.compile(pattern)


WordKind = Literal["function", "number", "identifier", "content"]


@dataclass(frozen=True, slots=True)
class Word:
    """A query word: its variants in the index, starting with the form as written, and its kind."""

    variants: tuple[str, ...]
    kind: WordKind


def stemming(language: str | None) -> str:
    """Return the key of `STEMMERS` for a language tag, or an empty string for languages without a stemmer."""
    key = (language or "").split("-")[0].lower()
    return key if key in STEMMERS else ""


def terms(text: str, language: str | None) -> list[str]:
    """Return all terms of a passage in reading order, stemmed."""
    return stem_words(plain_words(text), language)


def stem_words(words: list[str], language: str | None) -> list[str]:
    """Stem words that `written_words` or `plain_words` returned."""
    return _stem(words, stemming(language))


def query_words(written: Sequence[str], languages: Iterable[str], most: int) -> tuple[tuple[Word, ...], bool]:
    """Return the first `most` distinct words of a query with their stems in each language of the index, and whether
    words were dropped."""
    distinct = list(dict.fromkeys(written))
    function = function_words(distinct)
    bounded = distinct[:most]
    stems = [_stem(bounded, language) for language in sorted({"", *languages})]
    words = (
        Word(tuple(dict.fromkeys(variants)), _kind(word, function))
        for word, variants in zip(bounded, zip(*stems, strict=True), strict=True)
    )
    return tuple(words), len(distinct) > most


def _kind(word: str, function: frozenset[str]) -> WordKind:
    if not any(letter.isdigit() for letter in word):
        return "function" if word in function else "content"
    return "identifier" if any(letter.isalpha() for letter in word) else "number"


def written_words(text: str) -> list[str]:
    """Return the words in lower case and in reading order, followed by symbolic words (`c++`, `.net`) and by grouped
    numbers without their separators."""
    plain = _plain(text)
    words = _words(plain)
    return [*words, *_symbolic(plain), *_digit_groups(plain)] if _SYMBOLS_OR_GROUPS.search(plain) else words


def plain_words(text: str) -> list[str]:
    """Return the words of letters and digits, in lower case and in reading order."""
    return _words(_plain(text))


def _plain(text: str) -> str:
    text = clean(text)
    if not text.isascii():
        text = _compile(_MARK_APART).sub(" ", text)
    plain = compatible(text).replace("\u2010", "-").replace("\u2011", "-").lower()
    # Python lower-cases the Turkish İ to i with a combining dot, and the capital of dotless ı is I. Both become i.
    return plain if plain.isascii() else plain.replace("i\u0307", "i").replace("ı", "i")


def _symbolic(plain: str) -> list[str]:
    tokens = (token.strip(_AROUND).rstrip(".") for token in plain.replace("|", " ").split())
    return [
        token
        for token in tokens
        if len(token) <= MAX_TERM_CHARACTERS and _SYMBOLIC.fullmatch(token) and any(map(str.isalnum, token))
    ]


def _digit_groups(plain: str) -> list[str]:
    return [_NO_DIGIT.sub("", number)[:MAX_TERM_CHARACTERS] for number in _GROUPED.findall(plain)]


def _words(plain: str) -> list[str]:
    if not plain.isascii() and _compile(_NOT_PLAIN).search(plain):
        return [term for run in _compile(_TERM).findall(plain) for term in _of_run(run)]
    runs: list[str] = _PLAIN_TERM.findall(plain)
    # Most passages contain only plain words, which these two checks establish quickly.
    if all(map(str.isalnum, runs)) and len(max(runs, key=len, default="")) <= MAX_TERM_CHARACTERS:
        return runs
    return [term for run in runs for term in _split(run)]


def _of_run(run: str) -> Sequence[str]:
    if run[0] >= _FIRST_UNSPACED and _compile(_UNSPACED_RUN).match(run):
        return _pairs(run)
    return _split(run)


def _split(run: str) -> Sequence[str]:
    return _identifier(run) if "-" in run or "." in run or "_" in run else (run[:MAX_TERM_CHARACTERS],)


def _pairs(run: str) -> list[str]:
    """Split text that is written without spaces into overlapping pairs of characters."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


def _identifier(run: str) -> list[str]:
    """Return the complete identifier, its parts, and the parts joined without separators."""
    parts = _PARTS.split(run)
    # Part numbers are written with and without separators: E-17 and E17.
    whole = ["".join(parts)] if any(map(str.isdigit, run)) and any(map(str.isalpha, run)) else []
    return [term[:MAX_TERM_CHARACTERS] for term in (run, *parts, *whole)]


def _stem(words: list[str], language: str) -> list[str]:
    if not language or not words:
        return words
    return _stemmer(STEMMERS[language]).analyze(" ".join(words))


@cache
def _stemmer(name: str) -> TextAnalyzer:
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stemmer(name)).build()


LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "danish": "da", "norwegian": "no", "swedish": "sv",
    "finnish": "fi", "hungarian": "hu", "russian": "ru",
}  # fmt: skip
"""Language tag of each of tantivy's stop word lists, by the name of the list."""

_MORE_ENGLISH = (
    "what which who whom whose how why when where does do did done can could would should shall may might must has "
    "have had having been being am were from about than then than them they him his her hers its our your my me us "
    "you he she we i so too very also any some all each many much more most one does's between during before after "
    "over under through up down out off here there these those because while both other only own same"
)
ENGLISH = frozenset(_MORE_ENGLISH.split())
"""Function words that the packaged English list lacks."""
_MORE_GERMAN = (
    "wann wer wem wen wessen warum weshalb wieso woher wohin wozu womit wodurch wofür wogegen woran worauf woraus "
    "worin worüber wovon wobei wieviel wieviele viele vielen oft müssen darf dürfen können sollen"
)
GERMAN = frozenset(_MORE_GERMAN.split())
"""Function words that the packaged German list lacks."""
_MORE_FRENCH = (
    "est a sous chez quoi dont où quand comment pourquoi combien lequel laquelle lesquels lesquelles elles donc "
    "peut peuvent doit doivent faut fait été être avoir entre depuis jusqu avant après très aussi tout tous toute "
    "toutes comme lors lorsque afin puis peux dois pouvons devons avons avez"
)
_MORE_SPANISH = (
    "quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo si puede pueden puedo podemos debe "
    "deben debo debemos hace ser ha han hay después tras según cada"
)
_MORE_ITALIAN = (
    "fra cosa cos quale quali qual quando dov com può possono posso possiamo deve devono devo dobbiamo viene "
    "vengono essere stato stata dopo prima fino ogni"
)
_MORE_DUTCH = (
    "waar waarom wanneer hoeveel hoelang welke welk wiens waarvoor waarmee mag mogen moeten we wij onze jij sinds "
    "vanaf tussen volgens heel zijn werden"
)
_MORE_PORTUGUESE = (
    "sobre é têm quê quais quanto quanta quantos quantas onde porque porquê pode podem posso podemos deve devem "
    "devo devemos desde ser antes cada ter foi"
)
_MORE = {
    "english": ENGLISH,
    "german": GERMAN,
    "french": frozenset(_MORE_FRENCH.split()),
    "spanish": frozenset(_MORE_SPANISH.split()),
    "italian": frozenset(_MORE_ITALIAN.split()),
    "dutch": frozenset(_MORE_DUTCH.split()),
    "portuguese": frozenset(_MORE_PORTUGUESE.split()),
}
"""Function words that the packaged lists lack. The French list omits function words that are also common English words
("car", "son")."""
_INVERTED = re.compile(r"[^\W\d_]+(?:-t)?-(?:je|tu|il|elle|on|nous|vous|ils|elles|ce)")
"""Pattern for a French verb with its pronoun: `augmente-t-elle`. Its parts are separate terms."""


def function_words(words: Sequence[str]) -> frozenset[str]:
    """Return the function words of the query's own language.

    The lists contradict each other ("die", "war", "man"), so the language whose list covers the most words decides.
    """
    return _best_language(tuple(words))[1]


def language_of(words: Sequence[str]) -> str | None:
    """Return the language tag of a query by its function words, or None if they are not decisive."""
    return _best_language(tuple(words))[0]


@lru_cache(maxsize=16)
def function_words_by_language(words: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Return the function words of each language among the words of a query, by language tag."""
    return {tag: _function_words_in(words, language) for language, tag in LANGUAGES.items()}


@lru_cache(maxsize=16)
def _best_language(words: tuple[str, ...]) -> tuple[str | None, frozenset[str]]:
    lists = function_words_by_language(words)
    best = max(lists, key=lambda tag: len(lists[tag]))
    tie = sum(len(known) == len(lists[best]) for known in lists.values()) > 1
    inverted = frozenset(filter(_INVERTED.fullmatch, words)) if best == "fr" else frozenset[str]()
    return None if tie else best, lists[best] | inverted


def _function_words_in(words: Sequence[str], language: str) -> frozenset[str]:
    rest = frozenset(_function_word_filter(language).analyze(" ".join(words)))
    return frozenset(words) - rest | _MORE.get(language, frozenset[str]()).intersection(words)


@cache
def _function_word_filter(language: str) -> TextAnalyzer:
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stopword(language)).build()
