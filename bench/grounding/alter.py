"""True sentences that one changed word makes false, in eight ways, and the same sentences in other forms, which remain
true.

An alteration is a pair: a sentence in the document, and the claim. Documents contain too few sentences with a fraction,
a frequency or a negation, so such a word is inserted into the document's sentence where necessary, and a different one
into the claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.grounding.alter_words import FRACTIONS, FREQUENCIES, JOINTS, MODALS, NEGATIONS, OPPOSITES, VERBS
from bench.grounding.edits import Language

KINDS = (
    "content word", "negation added", "negation taken out", "exchange", "opposite", "fraction", "frequency", "modal",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NOT = re.compile(r"\b(?:not|nicht)\b ?", re.IGNORECASE)
_END = re.compile(r"[.!?]?\s*$")
_OTHER_SIGNS = str.maketrans({'"': "“", "'": "’", "-": "\u2011"})
_VALUE = re.compile(r"\s+\S*\d\S*$")
"""Pattern for a number at the end of a part, where its unit may have been cut off."""
_MIN_WORD = 5
"""Minimum length of a content word in characters; most shorter words are function words."""
_MIN_APART = 3
"""Minimum number of words between two exchanged names, so that the exchange does more than reorder a list."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence; `source` is the passage that contains it."""

    text: str
    source: str
    language: Language


@dataclass(frozen=True, slots=True)
class Altered:
    kind: str
    claim: str
    source: str
    language: Language


def alterations(kind: str, sentence: Sentence, words: Sequence[str], random: Random) -> Altered | None:
    """Return a random alteration, or None if the sentence is unsuitable. `words` contains all words of the
    documents."""
    pairs = [
        (held, claim)
        for held, claim in _RULES[kind](sentence, words, random)
        if _flat(claim) not in _flat(sentence.source.replace(sentence.text, held))
    ]
    if not pairs:
        return None
    held, claim = random.choice(pairs)
    return Altered(kind, claim, sentence.source.replace(sentence.text, held), sentence.language)


Pairs = Iterator[tuple[str, str]]


def _content_word(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Replace a word with another one that has the same ending and case and does not occur in the passage."""
    held = sentence.source.casefold()
    for match in list(_WORD.finditer(sentence.text))[1:]:
        if len(match[0]) < _MIN_WORD:
            continue
        fits = [
            word
            for word in words
            if word[-2:] == match[0][-2:] and word[0].isupper() == match[0][0].isupper()
            and word.casefold()[:4] not in held
        ]  # fmt: skip
        if fits:
            yield sentence.text, _put(sentence.text, match.span(), random.choice(fits))


def _negation_added(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for match in re.finditer(rf"\b(?:{VERBS[sentence.language].replace(' ', '|')})\b(?= [a-zäöü])", sentence.text):
        if not _NOT.search(sentence.text, match.start(), match.end() + 30):
            yield (
                sentence.text,
                _put(sentence.text, (match.end(), match.end()), f" {NEGATIONS[sentence.language]}"),
            )


def _negation_taken_out(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Remove a negation from the claim, or add one only to the document's sentence."""
    own = [(sentence.text, _put(sentence.text, match.span(), "")) for match in _NOT.finditer(sentence.text)]
    yield from own or ((claim, held) for held, claim in _negation_added(sentence, words, random))


def _exchange(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Exchange two names (in German, two nouns) that are not next to each other."""
    names = [
        match
        for at, match in enumerate(_WORD.finditer(sentence.text))
        if at and match[0][0].isupper() and len(match[0]) > 3
    ]
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            between = sentence.text[first.end() : second.start()]
            if len(between.split()) >= _MIN_APART and first[0].casefold() != second[0].casefold():
                yield (
                    sentence.text,
                    (sentence.text[: first.start()] + second[0] + between + first[0] + sentence.text[second.end() :]),
                )


def _opposite(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for pair in OPPOSITES[sentence.language]:
        a, b = (word.replace("_", " ") for word in pair.split())
        yield from _swapped(sentence.text, a, b)


def _fraction(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    was, now = random.sample(FRACTIONS[sentence.language], 2)
    behind = {"en": ", in {} the cases", "de": ", in {} der Fälle"}[sentence.language]
    yield _behind(sentence.text, behind.format(was)), _behind(sentence.text, behind.format(now))


def _frequency(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    every = FREQUENCIES[sentence.language]
    own = [pair for a in every for b in every if a != b for pair in _swapped(sentence.text, a, b, both=False)]
    was, now = random.sample(every, 2)
    yield from own or [(_behind(sentence.text, f" {was}"), _behind(sentence.text, f" {now}"))]


def _modal(sentence: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for a, b in MODALS[sentence.language]:
        yield from _swapped(sentence.text, a, b)


_RULES: dict[str, Callable[[Sentence, Sequence[str], Random], Pairs]] = {
    "content word": _content_word,
    "negation added": _negation_added,
    "negation taken out": _negation_taken_out,
    "exchange": _exchange,
    "opposite": _opposite,
    "fraction": _fraction,
    "frequency": _frequency,
    "modal": _modal,
}


def reformatted(sentence: Sentence, other: Sentence) -> Iterator[Altered]:
    """Yield the sentence in other forms that have the same meaning, and joined with a part of another sentence from its
    passage."""
    words = sentence.text.split()
    middle = len(words) // 2
    forms = {
        "as it stands": (sentence.text, sentence.source),
        "without its stop": (_END.sub("", sentence.text), sentence.source),
        "without commas": (sentence.text.replace(", ", " "), sentence.source),
        "in capitals": (sentence.text.upper(), sentence.source),
        "other quotes and dashes": (sentence.text.translate(_OTHER_SIGNS), sentence.source),
        "hyphenated in the source": (sentence.text, sentence.source.replace(sentence.text, _hyphenated(sentence.text))),
        "broken over lines in the source": (sentence.text, sentence.source.replace(sentence.text, _wrapped(words))),
        "ligatures in the source": (sentence.text, sentence.source.replace("fi", "ﬁ").replace("fl", "ﬂ")),
        "its beginning": (_VALUE.sub("", " ".join(words[: max(5, middle)])), sentence.source),
        "its end": (" ".join(words[-max(5, middle) :]), sentence.source),
    }  # fmt: skip
    if other.source == sentence.source and other.text != sentence.text:
        ends = (_END.sub("", sentence.text), other.text)
        forms["two sentences joined"] = (f"{ends[0]}, {JOINTS[sentence.language]} {ends[1]}", sentence.source)
    for kind, (claim, source) in forms.items():
        yield Altered(kind, claim, source, sentence.language)


def _hyphenated(text: str) -> str:
    match = next((match for match in _WORD.finditer(text) if len(match[0]) > 8 and "-" not in match[0]), None)
    return text if match is None else _put(text, (match.start() + 5, match.start() + 5), "-\n")


def _wrapped(words: Sequence[str]) -> str:
    return "\n".join(" ".join(words[at : at + 6]) for at in range(0, len(words), 6))


def _swapped(text: str, a: str, b: str, *, both: bool = True) -> Pairs:
    for was, now in ((a, b), (b, a)) if both else ((a, b),):
        for match in re.finditer(rf"\b{was}\b", text, re.IGNORECASE):
            same = now.capitalize() if match[0][0].isupper() else now
            yield text, _put(text, match.span(), same)


def _behind(text: str, more: str) -> str:
    return _END.sub(lambda match: more + match[0], text, count=1)


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _flat(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
