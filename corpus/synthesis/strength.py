"""Whether the hits of a search speak to a question at all, told from their words alone: no model writes or judges.

Two things count, each for half: what the question gives by name must stand in the hits, and its other words in the
best one. Cosines are not asked. On the development corpora they add nothing to these two, since what nearly
answers a question lies as near to it as what does, and each embedder has a scale of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from corpus.blocks import passage_text
from corpus.index.local.analysis import terms
from corpus.search import Hit
from corpus.synthesis.composing.counting import Counting
from corpus.synthesis.composing.question import Asked, asked
from corpus.synthesis.composing.words import language_of
from corpus.synthesis.named import all_stand, named
from corpus.text import clean

WEAK = 0.5
"""Below this the hits are weak evidence: something that the question gives by name stands in none of them. It is the
highest point of `bench.answerable` that refuses at most 0.05 of the questions with an answer in both halves, with
vectors and without. One half alone had chosen .6, which refuses .06 of the other, and without vectors .17."""
JUST_WEAK = 0.499
"""The most where a name is missing whose stem is that of another word, as "Mars" has that of "Mar"."""
ELSEWHERE = 0.5
"""What the words count at least unless the best hit and most hits are in the language of the question: words that are
missing in another language say nothing."""
ENOUGH = 0.5
"""The share of a question's words of which one hit has more if it speaks to it."""
SOMETHING = 0.25
"""The share of a question's words below which a hit has nothing to do with it."""
_PART, _LEAST_PARTS = 4, 0.6


def is_weak(question: str, hits: Sequence[Hit]) -> bool | None:
    """Whether little in the hits speaks to the question; None where that cannot be told."""
    strength = evidence(question, hits)
    return None if strength is None else strength < WEAK


def speaks(question: str, hit: Hit, share: float) -> bool:
    """Whether a `share` of the question's words stands in a hit; one in another language, which words
    cannot tell, does."""
    wanted = asked(clean(question))
    language = _language(hit)
    if not wanted.words or not wanted.language or (language and language != wanted.language):
        return True
    return _share(wanted, _text(hit), language) >= share


def is_foreign(question: str, hit: Hit) -> bool:
    """Whether a hit is known to be in another language than the question."""
    wanted, language = asked(clean(question)).language, _language(hit)
    return bool(wanted and language and language != wanted)


def answers_to(question: str, hit: Hit, quoted: str) -> bool:
    """Whether more than half of the question's words stand in what is `quoted` of a hit, with the headings above it and
    the names of its document."""
    wanted = asked(clean(question))
    around = f"{hit.block.heading or ''} {hit.document.title} {hit.document.filename.replace('_', ' ')}"
    counts, _ = Counting(wanted, _language(hit)).count(f"{quoted} {around}")
    return not counts or fmean(min(1.0, one) for one in counts) > ENOUGH


def is_touched(question: str, hits: Sequence[Hit]) -> bool:
    """Whether any hit has to do with the question at all. A single word may be said in another way."""
    return len(asked(clean(question)).words) < 2 or any(speaks(question, hit, SOMETHING) for hit in hits)


def not_found(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """What the question gives by name and no hit has, as it is written there."""
    question = clean(question)
    text = "\n".join(_text(hit) for hit in hits)
    return tuple(one for one in named(question, asked(question).language) if not all_stand([one], text))


def evidence(question: str, hits: Sequence[Hit]) -> float | None:
    """How well the hits, best first, speak to the question, 0..1; None where there is nothing to compare."""
    question = clean(question)
    wanted = asked(question)
    names = named(question, wanted.language)
    texts = [_text(hit) for hit in hits]
    if not texts or not (wanted.words or names):
        return None
    words = _words(wanted, texts, [_language(hit) for hit in hits])
    return (words + 1) / 2 if all_stand(names, "\n".join(texts)) else min(words / 2, JUST_WEAK)


def _words(wanted: Asked, texts: Sequence[str], languages: Sequence[str | None]) -> float:
    """The share of the question's words that stand in the best hit."""
    if not wanted.words:
        return ELSEWHERE
    share = _share(wanted, texts[0], languages[0])
    same = [one in (wanted.language, None) for one in languages]
    told = wanted.language and same[0] and 2 * sum(same) > len(same)
    return share if told else max(share, ELSEWHERE)


def _text(hit: Hit) -> str:
    """What the hit says and under which names, with its page numbers."""
    block, document = hit.block, hit.document
    around = (document.title, document.filename, block.page_number, block.page_label)
    return "\n".join([passage_text(block), *(str(one) for one in around if one)])


def _language(hit: Hit) -> str | None:
    return (hit.block.language or language_of(passage_text(hit.block).casefold().split()) or "")[:2] or None


def _share(wanted: Asked, text: str, language: str | None) -> float:
    """The share of the question's words that stand in the text."""
    held, folded = set(terms(text, language)), text.casefold()
    stems = wanted.stems(language)
    return fmean(
        1.0 if stem in held else _parts(word, folded) for word, stem in zip(wanted.words, stems, strict=True)
    )


def _parts(word: str, text: str) -> float:
    """Half where most parts of the word stand in the text: compounds, slips of the pen."""
    parts = [word[at : at + _PART] for at in range(len(word) - _PART + 1)]
    share = sum(part in text for part in parts) / len(parts) if len(word) > _PART else 0.0
    return share / 2 if share >= _LEAST_PARTS else 0.0
