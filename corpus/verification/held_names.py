"""Names of a source, looked up in whatever form a claim may use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
_MAX_ENDING = 4
"""Characters by which forms of a name differ: Luther, Luthers; Berlin, Berliner; German, Germany."""
_FORMS = (
    "s es e n en er ern em ens ers in inen innen r y ies ian ians an ans ish ese ic ics al als ism ist ists isch ed d "
    "ing ings ly ia ment ness ion ions tion ity able ful less ance ence ive or ors ung heit keit lich schaft bar haft "
    "sche schen t te ten ter tes ier"
)
_ENDINGS = frozenset(_FORMS.split())
"""Endings that make another form of a word and rarely another name: Keller is not Kellermann."""
_MIN_STEM = 4
"""Characters of a stem; shorter ones fit too many names."""
_MIN_HEAD = 5
"""Characters of the last part of a compound: "Pumpenwartung" is a "Wartung"."""
_MAX_WORD = 40
"""Characters of a word that is split into parts."""
_MAX_ACRONYM = 6
"""Characters of an acronym."""
_SMALL_WORDS = "of the for and in on de la du des der die das für und von zu zur"
_LINKING = frozenset(_SMALL_WORDS.split())


class HeldNames:
    """The names of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, word: str) -> bool:
        """Whether the word occurs here, in another form or case, with or without accents, or as the acronym of words
        here."""
        return any(self._holds_form(form) for form in forms(word)) or word.upper() in self._acronyms

    def has_acronym(self, acronyms: set[str]) -> bool:
        """Whether one of these acronyms occurs here."""
        return not acronyms.isdisjoint(self._capitals)

    def has_initial(self, word: str) -> bool:
        """Whether the word's first letter occurs as an initial: "J. Smith"."""
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
        """Folded words, each also without accents, and short ones joined with their neighbour ("MPEG-2")."""
        pairs = pairwise(self._run_list)
        words = {form for run in set(self._run_list) for form in forms(run)}
        return frozenset(
            words
            | {
                first.lower() + second.lower()
                for first, second in pairs
                if _is_part(first) or _is_part(second)
            }
        )

    @cached_property
    def _stems_of_names(self) -> frozenset[str]:
        """Capitalised words without an ending of up to four characters."""
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
        """Endings of capitalised compounds."""
        long = {
            run.casefold()
            for run in self._run_list
            if run[0].isupper() and _MIN_HEAD + 3 <= len(run) <= _MAX_WORD
        }
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
    """The word folded, without accents, and with German umlauts transcribed."""
    low = word.casefold()
    if low.isascii():
        return (low,)
    bare = "".join(
        letter for letter in unicodedata.normalize("NFKD", low) if not unicodedata.combining(letter)
    )
    return low, bare, low.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def acronyms(words: Sequence[str]) -> Iterator[str]:
    """Initials of two to six capitalised words in a row, ignoring small linking words."""
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
