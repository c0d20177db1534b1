"""Names and labels in claims and sources: capitalised words, acronyms, identifiers, and labels such as "valve C".

German capitalises every noun, so a single German word is a name only if it has a capital or digit inside.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

END = "."
"""Folded form of the end of a sentence, cell, line or quotation."""

_TOKEN = re.compile(r"[^\W_]+|(?<!\b[^\W\d_])\.|[!?;:\n|]")
"""Pattern for a token. A full stop after a single letter is part of an initial."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words and sentence ends of a text: as written, folded for comparison, and with their offsets."""

    written: tuple[str, ...]
    folded: tuple[str, ...]
    starts: tuple[int, ...]


def tokens(text: str) -> Tokens:
    """Return the tokens of a text, with a sentence end before the first and after the last."""
    matches = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    written = (END, *(word for word, _ in matches), END)
    folded = tuple(END if word in "!?;:\n|" else word.casefold() for word in written)
    return Tokens(written, folded, (-1, *(start for _, start in matches), len(text)))


_ENGLISH = (
    "i the this that these those it its he she we you they a an in on at of for and or but if as by to from with is "
    "are was were no not yes my your our their his her also however there here what when where who why how which "
    "some many most all both each one two three mr mrs ms dr prof sir then thus while"
)
_GERMAN = (
    "der die das den dem des ein eine einen einem einer eines kein keine sein seine ihr ihre unser unsere dieser "
    "diese dieses diesen diesem jeder jede jedes im am zum zur vom beim in an auf aus bei mit nach von zu für und "
    "oder aber wenn als wie er sie es wir ich du ist sind war waren nicht auch herr frau hier dort dann so doch alle"
)
_NOT_NAMES = frozenset(f"{_ENGLISH} {_GERMAN}".split())
_HEADING = {"de": 0.9}
"""Minimum fraction of capitalised words, by language, at which a text counts as a heading, in which capitals indicate
nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run of capitalised words: the indices of its first and last tokens."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))


def rows(claim: Tokens, covered: frozenset[int]) -> list[Row]:
    """Return the runs of capitalised words in order, without words that start at a covered offset."""
    result: list[Row] = []
    for at, word in enumerate(claim.written):
        if claim.starts[at] in covered or not (may_name(word) or _is_initial(claim, at)):
            continue
        if result and result[-1].last == at - 1:
            result[-1] = Row(result[-1].first, at)
        else:
            result.append(Row(at, at))
    return result


def _is_initial(claim: Tokens, at: int) -> bool:
    """Return whether the token is a single letter between two names."""
    around = claim.written[at - 1 : at + 2]
    return (
        len(around) == 3 and len(around[1]) == 1 and around[1].isupper() and may_name(around[0]) and may_name(around[2])
    )


def may_name(word: str) -> bool:
    """Return whether a word is capitalised and is neither a function word at the start of a sentence nor a single
    letter, which is an initial."""
    return len(word) > 1 and word[0].isupper() and word.lower() not in _NOT_NAMES


def is_small_word(word: str) -> bool:
    """Return whether the word is a function word that is not a name even when it is capitalised."""
    return word.lower() in _NOT_NAMES


def is_code(word: str) -> bool:
    """Return whether the word is an acronym or identifier: it has a capital or digit after the first character."""
    return any(letter.isupper() or letter.isdigit() for letter in word[1:])


def begins_sentence(claim: Tokens, at: int) -> bool:
    """Return whether the token is the first of a sentence."""
    return claim.folded[at - 1] == END


def is_sure(claim: Tokens, at: int, language: str | None, capitals: float) -> bool:
    """Return whether the word is a name by its spelling alone. `capitals` is `capitalised_share(claim)`."""
    if is_code(claim.written[at]):
        return not _is_heading(capitals, "en") or any(letter.isdigit() for letter in claim.written[at])
    if _is_heading(capitals, language) or begins_sentence(claim, at):
        return False
    return language != "de"


def capitalised_share(claim: Tokens) -> float:
    """Return the fraction of longer words that are capitalised, or 0 if there are too few of them to recognise a
    heading."""
    long = [word for word in claim.written if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].isupper() for word in long) / len(long) if len(long) >= 4 else 0.0


def _is_heading(capitals: float, language: str | None) -> bool:
    return capitals > _HEADING.get(language or "", 0.7)


_WORD = re.compile(r"[^\W_]+")
_MAX_ENDING = 4
"""Maximum number of characters by which two forms of a name differ: Luther, Luthers; Berlin, Berliner; German,
Germany."""
_FORMS = (
    "s es e n en er ern em ens ers in inen innen r y ies ian ians an ans ish ese ic ics al als ism ist ists isch ed d "
    "ing ings ly ia ment ness ion ions tion ity able ful less ance ence ive or ors ung heit keit lich schaft bar haft "
    "sche schen t te ten ter tes ier"
)
_ENDINGS = frozenset(_FORMS.split())
"""Endings that produce another form of the same word and rarely another name. Other endings may: Kellermann is not a
form of Keller."""
_MIN_STEM = 4
"""Minimum length of a stem in characters. Shorter stems match too many names."""
_MIN_HEAD = 5
"""Minimum length in characters of the last part of a compound: a "Pumpenwartung" is a "Wartung"."""
_MAX_WORD = 40
"""Maximum length of a word that is split into parts, in characters."""
_MAX_ACRONYM = 6
"""Maximum length of an acronym, in characters."""
_SMALL_WORDS = "of the for and in on de la du des der die das für und von zu zur"
_LINKING = frozenset(_SMALL_WORDS.split())


class SourceNames:
    """The names of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, word: str) -> bool:
        """Return whether the text contains the word, in any form or case, with or without accents, or as the acronym of
        its words."""
        return any(self._holds_form(form) for form in forms(word)) or word.upper() in self._acronyms

    def has_acronym(self, acronyms: set[str]) -> bool:
        """Return whether the text contains one of these acronyms."""
        return not acronyms.isdisjoint(self._capitals)

    def has_initial(self, word: str) -> bool:
        """Return whether the word's first letter occurs as an initial: "J. Smith"."""
        return word[0] in self._initials

    def _holds_form(self, form: str) -> bool:
        if form in self._words or form in self._stems_of_names or form in self._heads:
            return True
        long = range(max(_MIN_STEM, len(form) - _MAX_ENDING), len(form))
        if any(form[:end] in self._words and form[end:] in _ENDINGS for end in long):
            return True
        return any(form[at:] in self._words for at in range(2, min(len(form), _MAX_WORD) - _MIN_HEAD + 1))

    @cached_property
    def _run_list(self) -> list[str]:
        return _WORD.findall(self._text)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Return the folded words, each also without accents. Short words are also joined with their neighbour
        ("MPEG-2")."""
        pairs = pairwise(self._run_list)
        words = {form for run in set(self._run_list) for form in forms(run)}
        return frozenset(
            words | {first.lower() + second.lower() for first, second in pairs if _is_part(first) or _is_part(second)}
        )

    @cached_property
    def _stems_of_names(self) -> frozenset[str]:
        """Return the capitalised words without an ending of up to four characters."""
        names = {form for run in set(self._run_list) if run[0].isupper() for form in forms(run)}
        cuts = range(1, _MAX_ENDING + 1)
        return frozenset(
            form[:-length]
            for form in names
            for length in cuts
            if len(form) - length >= _MIN_STEM and form[-length:] in _ENDINGS
        )

    @cached_property
    def _heads(self) -> frozenset[str]:
        """Return the endings of capitalised compounds."""
        long = {run.casefold() for run in self._run_list if run[0].isupper() and _MIN_HEAD + 3 <= len(run) <= _MAX_WORD}
        return frozenset(run[at:] for run in long for at in range(3, len(run) - _MIN_HEAD + 1))

    @cached_property
    def _initials(self) -> frozenset[str]:
        return frozenset(re.findall(r"(?<!\w)([^\W\d_])\.", self._text))

    @cached_property
    def _capitals(self) -> frozenset[str]:
        return frozenset(run for run in self._run_list if run.isupper())

    @cached_property
    def _acronyms(self) -> frozenset[str]:
        return frozenset(acronyms(self._run_list))


def forms(word: str) -> tuple[str, ...]:
    """Return the word folded, without accents, and with German umlauts transcribed."""
    low = word.casefold()
    if low.isascii():
        return (low,)
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", low) if not unicodedata.combining(letter))
    return low, bare, low.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def acronyms(words: Sequence[str]) -> Iterator[str]:
    """Yield the initials of two to six consecutive capitalised words, ignoring the function words between them."""
    for at, word in enumerate(words):
        letters = word[0] if word[0].isupper() else ""
        for other in words[at + 1 : at + 2 * _MAX_ACRONYM] if letters else ():
            if other[0].isupper():
                letters += other[0]
                yield letters
            elif other not in _LINKING:
                break
            if len(letters) == _MAX_ACRONYM:
                break


def _is_part(run: str) -> bool:
    return len(run) <= 4 or any(letter.isdigit() for letter in run)


_MAX_NAME_WORDS = 5
"""Maximum number of words that may be in the position of a name."""
_MAX_PLACES = 64
"""Maximum number of occurrences of a context that are examined in one source."""


class NameContexts:
    """The words of a source, indexed by the words before them."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._after: dict[tuple[str, ...], list[int]] = {}
        folded = self._tokens.folded
        for at, word in enumerate(folded):
            for before in ((word,), folded[at - 1 : at + 1] if at else ()):
                places = self._after.setdefault(before, [])
                if len(places) < _MAX_PLACES:
                    places.append(at + 1)

    def other(self, before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words between these contexts. The context is two words on one side and one on the other, or fewer
        at a sentence boundary. The result is empty if the context does not occur, if there is nothing between its
        sides, or if the context is too short to be reliable."""
        context, context_behind = _context_before(before), _context_after(after)
        if len(context) == 2 and (words := self._between(context, context_behind[:1])):
            return words
        return self._between(context[-1:], context_behind)

    def _between(self, context: tuple[str, ...], context_behind: tuple[str, ...]) -> tuple[str, ...]:
        if len({*context, *context_behind} - {END}) < 2:
            return ()
        for place in self._after.get(context, ()):
            if words := self._until(place, context_behind):
                return words
        return ()

    def _until(self, start: int, context_behind: tuple[str, ...]) -> tuple[str, ...]:
        folded = self._tokens.folded
        for end in range(start, min(start + _MAX_NAME_WORDS + 1, len(folded))):
            if folded[end : end + len(context_behind)] == context_behind:
                return self._tokens.written[start:end]
            if folded[end] == END:
                break
        return ()


def _context_before(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[-1:] if words[-1:] == (END,) else words[-2:]


def _context_after(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[:1] if words[:1] == (END,) else words[:2]


_LETTERED = re.compile(r"(?<![\w])(?P<kind>[^\W\d_]{3,30})[ \u00a0](?P<mark>[A-HJ-Z])(?![\w'’&]|\.[ ]?\S|[ ]?[&+/-])")
"""Pattern for a noun and a letter, except initials and the pronoun I."""
_NUMBERED = re.compile(
    r"(?<!\w)(?:version|ver\.?|v\.?|release|firmware|revision|rev\.?)[ \u00a0]?(?P<mark>\d{1,4}\.\d{1,4})(?!\d|\.\d)",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?<![\d.,])\d{1,4}\.\d{1,4}(?!\d|\.\d)")
_ARTICLE = re.compile(r"(?:^|(?<=[.!?:\n] )|(?<=\n))A(?= [^\W\d_A-Z])")
_ALONE = re.compile(r"(?<![\w])[^\W\d_](?!\w)")
_VERSION = "version"


@dataclass(frozen=True, slots=True)
class Designation:
    """A label and the kind of thing that it designates. `kind` is folded; it is the same for all versions."""

    start: int
    end: int
    kind: str
    mark: str


def designations(text: str) -> Iterator[Designation]:
    """Yield the labels in a text: first nouns with a single character, in order, then version numbers."""
    for match in _LETTERED.finditer(text):
        if not is_small_word(match["kind"]):
            yield Designation(*match.span(), match["kind"].casefold(), match["mark"])
    for match in _NUMBERED.finditer(text):
        yield Designation(*match.span("mark"), _VERSION, match["mark"])


class Designations:
    """The labels of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, designation: Designation) -> bool:
        """Return whether the label occurs in the text, for a thing of any kind."""
        return designation.mark in (self._decimals if designation.kind == _VERSION else self._letters)

    def has_other(self, designation: Designation) -> bool:
        """Return whether a thing of this kind has a different label in the text."""
        return bool(self._kinds.get(designation.kind, frozenset()) - {designation.mark})

    @cached_property
    def _kinds(self) -> dict[str, set[str]]:
        marks: dict[str, set[str]] = {}
        for designation in designations(self._text):
            marks.setdefault(designation.kind, set()).add(designation.mark)
        return marks

    @cached_property
    def _letters(self) -> frozenset[str]:
        """Return the single letters in the text, in either case, except the article "a"."""
        alone = set(_ALONE.findall(_ARTICLE.sub("", self._text))) - {"a"}
        return frozenset(letter.upper() for letter in alone)

    @cached_property
    def _decimals(self) -> frozenset[str]:
        return frozenset(_DECIMAL.findall(self._text))
