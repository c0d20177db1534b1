"""True sentences made false by a word, eight ways, and the same sentences in another form, which stay true.

An alteration is a pair: a sentence as the document has it, and the claim. Where documents have too few sentences with a
fraction, a frequency or a negation, it is the document's sentence that gets it, and the claim has another.
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
_VALUE = re.compile(r"\s+\S*\d\S*$")
"""A number at the end of a part, whose unit may be cut off."""
_MIN_WORD = 5
"""Characters of a content word: shorter ones are mostly of form."""
_MIN_APART = 3
"""Words from one exchanged name to the other, so that no list is merely in another order."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`source` is the passage that has it."""

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
    """One, by chance, or none where the sentence has no place for it. `words` are those of the documents."""
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


def _content_word(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Another word of the same ending and case in its place, which the passage does not have."""
    held = one.source.casefold()
    for match in list(_WORD.finditer(one.text))[1:]:
        if len(match[0]) < _MIN_WORD:
            continue
        fits = [
            word
            for word in words
            if word[-2:] == match[0][-2:] and word[0].isupper() == match[0][0].isupper()
            and word.casefold()[:4] not in held
        ]  # fmt: skip
        if fits:
            yield one.text, _put(one.text, match.span(), random.choice(fits))


def _negation_added(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for match in re.finditer(rf"\b(?:{VERBS[one.language].replace(' ', '|')})\b(?= [a-zäöü])", one.text):
        if not _NOT.search(one.text, match.start(), match.end() + 30):
            yield one.text, _put(one.text, (match.end(), match.end()), f" {NEGATIONS[one.language]}")


def _negation_taken_out(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Of a sentence that has it, or into the document's sentence and not the claim."""
    own = [(one.text, _put(one.text, match.span(), "")) for match in _NOT.finditer(one.text)]
    yield from own or ((claim, held) for held, claim in _negation_added(one, words, random))


def _exchange(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    """Of two names, in German of two nouns, apart from each other."""
    names = [
        match
        for at, match in enumerate(_WORD.finditer(one.text))
        if at and match[0][0].isupper() and len(match[0]) > 3
    ]
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            between = one.text[first.end() : second.start()]
            if len(between.split()) >= _MIN_APART and first[0].casefold() != second[0].casefold():
                yield (
                    one.text,
                    (one.text[: first.start()] + second[0] + between + first[0] + one.text[second.end() :]),
                )


def _opposite(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for pair in OPPOSITES[one.language]:
        a, b = (word.replace("_", " ") for word in pair.split())
        yield from _swapped(one.text, a, b)


def _fraction(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    was, now = random.sample(FRACTIONS[one.language], 2)
    behind = {"en": ", in {} the cases", "de": ", in {} der Fälle"}[one.language]
    yield _behind(one.text, behind.format(was)), _behind(one.text, behind.format(now))


def _frequency(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    every = FREQUENCIES[one.language]
    own = [pair for a in every for b in every if a != b for pair in _swapped(one.text, a, b, both=False)]
    was, now = random.sample(every, 2)
    yield from own or [(_behind(one.text, f" {was}"), _behind(one.text, f" {now}"))]


def _modal(one: Sentence, words: Sequence[str], random: Random) -> Pairs:
    for a, b in MODALS[one.language]:
        yield from _swapped(one.text, a, b)


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


def reformatted(one: Sentence, other: Sentence) -> Iterator[Altered]:
    """The sentence in other forms that say the same, and with a part of another sentence of its passage."""
    words = one.text.split()
    middle = len(words) // 2
    forms = {
        "as it stands": (one.text, one.source),
        "without its stop": (_END.sub("", one.text), one.source),
        "without commas": (one.text.replace(", ", " "), one.source),
        "in capitals": (one.text.upper(), one.source),
        "other quotes and dashes": (one.text.replace('"', "“").replace(" - ", " – ").replace("'", "’"), one.source),
        "hyphenated in the source": (one.text, one.source.replace(one.text, _hyphenated(one.text))),
        "broken over lines in the source": (one.text, one.source.replace(one.text, _wrapped(words))),
        "ligatures in the source": (one.text, one.source.replace("fi", "ﬁ").replace("fl", "ﬂ")),
        "its beginning": (_VALUE.sub("", " ".join(words[: max(5, middle)])), one.source),
        "its end": (" ".join(words[-max(5, middle) :]), one.source),
    }  # fmt: skip
    if other.source == one.source and other.text != one.text:
        ends = (_END.sub("", one.text), other.text)
        forms["two sentences joined"] = (f"{ends[0]}, {JOINTS[one.language]} {ends[1]}", one.source)
    for kind, (claim, source) in forms.items():
        yield Altered(kind, claim, source, one.language)


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
