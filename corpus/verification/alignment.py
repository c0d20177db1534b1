"""Align a claim with the sentences of its source, word by word. For a nearly verbatim claim, report the differences.

Only nearly verbatim claims are compared this way. A paraphrase has few consecutive words in common with its source, so
its differences mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import islice, pairwise

from corpus.text import analysis
from corpus.text.normalization import compatible, fold_case
from corpus.verification.number_parsing import CARDINALS, NOT_ASKED

_NEGATIONS_LIST = (
    "not no never neither nor nobody nothing none cannot without nicht nie niemals kein keine keinen keinem "
    "keiner keines niemand nichts weder ohne 不 没 沒 无 無 非 未 ん ず 안 못 않"
)
NEGATIONS = frozenset(_NEGATIONS_LIST.split())
_GROUPS = (
    "must shall muss müssen musste mussten", "should ought soll sollen sollte sollten",
    "may might can could kann können konnte konnten könnte könnten", "darf dürfen durfte durften",
    "will would wird werden würde würden",
    "more greater mehr", "less fewer weniger", "most meisten", "least wenigsten", "above over oberhalb über",
    "below under unterhalb unter", "before vor", "after nach", "until bis", "since seit", "during während",
    "inside within innerhalb", "outside außerhalb", "with mit", "up", "down", "left", "right",
    "all every each alle jede jeder jedes", "many viele", "few wenige", "both beide", "half halb", "only nur",
    "always immer",
    "often oft", "seldom selten", "larger greater bigger größer größere größeren",
    "same gleiche gleichen gleicher", "different andere anderen anderer",
)  # fmt: skip
DECISIVE = {word: at for at, group in enumerate(_GROUPS) for word in group.split()}
"""Group numbers by word; words of the same group are equivalent."""
_PRONOUNS_LIST = (
    "he she it they we you i him her them us me his its their this these that those he's she's it's they're "
    "that's er sie es wir ich ihn ihm ihnen ihr ihre sein seine dies diese dieser dieses yes no well also however "
    "moreover furthermore additionally therefore ja nein auch jedoch außerdem daher"
)
PRONOUNS = frozenset(_PRONOUNS_LIST.split())
"""Words that refer to something mentioned earlier, or that connect sentences. Replacing a name with such a word is not
a difference."""
_JOINING_LIST = "and or but und oder aber sowie as well"
JOINING = frozenset(_JOINING_LIST.split())
"""Words between two names whose order does not matter."""
ARTICLES = frozenset(("a", "an", "the", "ein", "eine", "einem", "einen", "einer", "der", "die", "das", "dem", "den"))
_OF_CHANGE_LIST = (
    "stand stands stood reach reaches reached amount amounts amounted rise rises rose risen fall falls fell "
    "fallen grow grows grew grown increase increases increased decrease decreases decreased remain remains "
    "remained unchanged now currently about around approximately roughly nearly come comes came beträgt betrug "
    "betragen liegt lag liegen stieg steigt gestiegen sinkt sank gesunken erreicht erreichte unverändert bleibt "
    "blieb steht stand beläuft belief derzeit jetzt nun rund etwa circa "
)
OF_CHANGE = frozenset(_OF_CHANGE_LIST.split())
"""Words between the name of a quantity and its value that identify neither."""


MIN_ALIGNED = 0.8
"""Minimum fraction of a claim's words that are aligned, in order, for differences to count (bench grounding, "altered
claims")."""
_MIN_WORDS = 3
"""Minimum number of aligned words. With fewer, two sentences have only a phrase in common."""
_MIN_RUN = 4
"""Minimum length in words of a run that counts anywhere in the source. Shorter runs count only next to aligned
words."""
_MAX_GAPS = 12
"""Maximum number of gaps. A claim with more gaps is not nearly verbatim. The maximum also limits the time spent on
hostile texts."""
_REACH = 6
"""Maximum number of words by which the gap in the source may be longer than the gap in the claim."""
_MAX_CHANGED = 3
"""Maximum number of words on either side of a gap. A longer gap contains another statement, not a changed word."""
_NUMBERS = CARDINALS.keys() - NOT_ASKED
_COUNTING = CARDINALS.keys() | ARTICLES
_MAX_DIFFERENCES = 2
"""Maximum number of differences. Two differences indicate an exchange; more indicate a paraphrase."""
_MAX_WORDS = 160
"""Maximum number of words in a claim; of its sources, eight times as many words are read. A longer claim is not a
sentence."""
_MIN_STEM, _MAX_ENDING = 5, 4
"""Minimum number of common initial characters of two forms of one word ("reducing", "reduction"), and maximum length of
the rest."""
_TURNING = ("un", "in", "im", "ir", "non", "dis", "miss", "nicht", "anti")
"""Prefixes that reverse the meaning of a word. Any other prefix forms a compound."""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n[^\S\n]*(?=[^\W\d_])")
_CONTRACTED = re.compile(r"\b(\w+)n't\b|\b[Cc]annot\b")
_IN_FULL = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_NUMERO = re.compile(r"\b[Nn]o(?=\.? ?\d)")
_TOKEN = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]+(?:[-'\u2010\u2011][^\W_]+)*"
)
"""Pattern for a word with its hyphenated parts, or of one character of a script written without spaces."""
_HYPHEN = re.compile("[-\u2010\u2011]")
_UNSPACED = re.compile("[\u3005-\u3007\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
"""Pattern for characters that carry the meaning of an unspaced sentence. Hiragana characters are grammatical."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The words that differ between the claim and the source at the same position. Either side may be empty."""

    claim: str
    source: str

    def __str__(self) -> str:
        if not self.claim:
            return f"source: {self.source}"
        return f"{self.claim} (source: {self.source})" if self.source else self.claim


@dataclass(frozen=True, slots=True)
class Alignment:
    """The differences of a nearly verbatim claim, and whether it is verbatim apart from function words."""

    differences: tuple[Difference, ...] = ()
    is_verbatim: bool = False


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text: as written, folded, and as keys for comparison."""

    tokens: tuple[str, ...]
    written: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Gap:
    """The unaligned words between two aligned runs, as ranges of the claim and of the source. `is_open` is True if one
    side has no aligned run."""

    claim: tuple[int, int]
    source: tuple[int, int]
    is_open: bool


def align(claim: str, sources: Sequence[str], language: str | None) -> Alignment:
    """Align a claim with the passages that contain most of its words. Punctuation, case, hyphenation and the order of
    parts do not count as differences."""
    own = _words(claim, language)
    if not own.keys or len(own.keys) > _MAX_WORDS:
        return Alignment()
    source_words = _join(sources, language)
    gaps = list(islice(_Aligner(own, source_words).gaps(), _MAX_GAPS + 1))
    if len(gaps) > _MAX_GAPS:
        return Alignment()
    length = len(own.keys)
    aligned = length - sum(gap.claim[1] - gap.claim[0] for gap in gaps)
    exchanged = _is_exchange(gaps, own, source_words)
    if exchanged and _is_reordered_list(gaps, own):
        return Alignment(is_verbatim=True)
    enough = max(_MIN_WORDS, min(MIN_ALIGNED * length, length - _MAX_DIFFERENCES))
    if aligned < enough and not (aligned > 1 and exchanged):
        return Alignment()
    written = [word for gap in gaps for word in _slice(source_words, gap.source).written] + list(own.written)
    small = analysis.function_words(written) | PRONOUNS | JOINING if gaps else frozenset[str]()
    changes = [change for gap in gaps if (change := _difference(gap, own, source_words, small, exchanged))]
    if changes:
        return Alignment(tuple(changes) if len(changes) <= _MAX_DIFFERENCES else ())
    return Alignment(
        is_verbatim=not any(_means(word, small) for gap in gaps for word in _slice(own, gap.claim).written)
    )


_BESIDE = NEGATIONS | DECISIVE.keys()
_BETWEEN = "\n"
"""Separator between passages. No word is equal to it."""


def _join(sources: Sequence[str], language: str | None) -> _Words:
    tokens, written, keys = [_BETWEEN], [_BETWEEN], [_BETWEEN]
    for text in sources:
        words = _words(text, language)
        room = max(0, 8 * _MAX_WORDS - len(keys))
        for whole, part in ((tokens, words.tokens), (written, words.written), (keys, words.keys)):
            whole += [*part[:room], _BETWEEN]
    return _Words(tuple(tokens), tuple(written), tuple(keys))


def _words(text: str, language: str | None) -> _Words:
    plain = _BROKEN_WORD.sub("", compatible(text).replace("’", "'"))
    if "n't" in plain or "annot" in plain:
        plain = _CONTRACTED.sub(lambda match: _IN_FULL.get(match[0].lower(), f"{match[1]} not"), plain)
    tokens = tuple(_TOKEN.findall(_NUMERO.sub("nr", plain)))
    written = tuple(map(fold_case, tokens))
    stems = analysis.stem_words([_HYPHEN.sub("", word) for word in written], language)
    return _Words(tokens, written, tuple(stem.replace("z", "s").replace("our", "or") for stem in stems))


class _Aligner:
    """Finds the longest common run, then recurses to its left and right, preferring runs near it (Ratcliff and Metzener
    1988)."""

    def __init__(self, claim: _Words, source: _Words) -> None:
        self._claim, self._source = claim, source
        self._matcher = SequenceMatcher(None, claim.keys, source.keys, autojunk=False)
        self._weighty = SequenceMatcher(_BESIDE.__contains__, claim.keys, source.keys, autojunk=False)

    def gaps(self) -> Iterator[_Gap]:
        """Yield the gaps in claim order."""
        stack = [(0, len(self._claim.keys), -1, -1, True)]
        while stack:
            start, end, after, before, has_runs = stack.pop()
            at, there, size, has_runs = self._longest(start, end, after, before, has_runs)
            if size:
                stack += [
                    (at + size, end, there + size, before, has_runs),
                    (start, at, after, there, has_runs),
                ]
            elif gap := self._gap(start, end, after, before):
                yield gap

    def _longest(self, start: int, end: int, after: int, before: int, has_runs: bool) -> tuple[int, int, int, bool]:
        """Return the start in the claim, the start in the source, the length, and whether another run that counts
        anywhere may exist. `after` and `before` limit the search in the source to the gap between the surrounding runs;
        without such a run they are -1."""
        if start == end:
            return start, 0, 0, False
        is_first = after < 0 and before < 0
        far = Match(start, 0, 0)
        if is_first or (has_runs and end - start >= _MIN_RUN):
            far = self._matcher.find_longest_match(start, end, 0, len(self._source.keys))
        has_runs = far.size >= _MIN_RUN
        if is_first:
            return *far, has_runs
        low, high = self._near(end - start, after, before)
        near = self._matcher.find_longest_match(start, end, low, high)
        if near.size == 1 and self._claim.keys[near.a] in _BESIDE and near.b not in (after, before - 1):
            # A single "not" or "with" may belong to any of the words nearby.
            near = self._weighty.find_longest_match(start, end, low, high)
        best = far if far.size >= max(_MIN_RUN, near.size + 2) else near
        if best.size < _MIN_RUN:
            best = max(Match(*self._opposite(start, end, after, before)), best, key=lambda match: match.size)
        return *best, has_runs

    def _opposite(self, start: int, end: int, after: int, before: int) -> tuple[int, int, int]:
        """Return the first run of equal words at equal positions, such as the verb between two exchanged names."""
        offset = (after if after >= 0 else before - (end - start)) - start
        same = [
            at
            for at in range(start, end)
            if 0 < at + offset < len(self._source.keys) and self._claim.keys[at] == self._source.keys[at + offset]
        ]
        if not same:
            return start, 0, 0
        size = next((size for size, at in enumerate(same) if at != same[0] + size), len(same))
        return same[0], same[0] + offset, size

    def _near(self, length: int, after: int, before: int) -> tuple[int, int]:
        """Return the range of the source that may contain the gap's words."""
        reach = length + _REACH
        if after >= 0 and before >= 0:
            return (after, before) if after <= before <= after + reach else (after, after)
        if after >= 0:
            return after, self._end(after, after + reach)
        return self._start(before, before - reach), before

    def _end(self, at: int, most: int) -> int:
        """Return the end of the passage, or `most` if that is less."""
        while at < min(most, len(self._source.keys)) and self._source.keys[at] != _BETWEEN:
            at += 1
        return at

    def _start(self, at: int, most: int) -> int:
        while at > max(0, most) and self._source.keys[at - 1] != _BETWEEN:
            at -= 1
        return at

    def _gap(self, start: int, end: int, after: int, before: int) -> _Gap | None:
        length = end - start
        if after >= 0 and before >= 0 and after <= before <= after + length + _REACH:
            return _Gap((start, end), (after, before), is_open=False) if before > after or length else None
        if not length:
            return None
        if after >= 0:
            return _Gap((start, end), (after, self._end(after, after + length)), is_open=True)
        first = max(1, self._start(before, before - length - 1))
        # Source words before the aligned run count only at the start of a sentence, or if the claim also has them.
        begins = self._source.keys[first - 1] == _BETWEEN
        own = set(self._source.keys[max(1, before - length) : before]) <= set(self._claim.keys)
        start_there = first if begins else max(1, before - length) if own else before
        return _Gap((start, end), (start_there, before), is_open=not begins)


def _is_exchange(gaps: Sequence[_Gap], claim: _Words, source: _Words) -> bool:
    """Return whether the unaligned words are the same words in a different order."""
    own = sorted(key for gap in gaps for key in _slice(claim, gap.claim).keys)
    return own == sorted(key for gap in gaps for key in _slice(source, gap.source).keys)


def _is_reordered_list(gaps: Sequence[_Gap], claim: _Words) -> bool:
    """Return whether only "and" is between the unaligned words."""
    between = {at for gap in pairwise(gaps) for at in range(gap[0].claim[1], gap[1].claim[0])}
    return len(gaps) > 1 and {claim.written[at] for at in between} <= JOINING


def _difference(gap: _Gap, claim: _Words, source: _Words, small: frozenset[str], exchanged: bool) -> Difference | None:
    """Return the difference, or None if the words are equivalent or function words."""
    own, other = _slice(claim, gap.claim), _slice(source, gap.source)
    if _HYPHEN.sub("", "".join(own.written)) == _HYPHEN.sub("", "".join(other.written)):
        return None
    if max(len(own.keys), len(other.keys)) > _MAX_CHANGED:
        return None
    unmatched = _only_in_first(own, other), _only_in_first(other, own)
    added, left_out = ([word for word in words if _means(word, small)] for words in unmatched)
    denied = _denies(unmatched[0]), _denies(unmatched[1])
    is_denied = denied[0] != denied[1] and (denied[0] or not gap.is_open)
    is_exchanged = exchanged and bool(added and left_out)
    if is_denied or is_exchanged or _changes_a_number(*unmatched) or _swaps_a_word(unmatched, added, left_out):
        return _as_difference(gap, claim, source)
    return None


def _changes_a_number(added: Sequence[str], left_out: Sequence[str]) -> bool:
    """Return whether a number word replaces another number word or an article ("drei Viertel", "ein Viertel")."""
    both = {*added, *left_out}
    return len(added) == len(left_out) and both <= _COUNTING and bool(both & _NUMBERS)


def _swaps_a_word(
    unmatched: tuple[Sequence[str], Sequence[str]], added: Sequence[str], left_out: Sequence[str]
) -> bool:
    """Return whether a single word replaces a single other word, ignoring numbers and articles before it."""
    replaced = [[word for word in words if word not in _COUNTING] or words for words in (added, left_out)]
    rest = {*unmatched[0], *unmatched[1]} - {word for words in replaced for word in words}
    return _is_a_word(replaced[0]) and _is_a_word(replaced[1]) and rest <= _COUNTING


def _is_a_word(words: Sequence[str]) -> bool:
    return len(words) == 1 or (bool(words) and all(map(_UNSPACED.match, words)))


def _as_difference(gap: _Gap, claim: _Words, source: _Words) -> Difference:
    """Return the difference at a gap. In scripts in which each character is a word, it includes the preceding
    character."""
    (start, end), (first, last) = gap.claim, gap.source
    around = claim.keys[start - 1 : start + 1] if start < end else ()
    if len(around) == 2 and all(map(_UNSPACED.match, around)) and around[0] == source.keys[first - 1]:
        start, first = start - 1, first - 1
    joint = " " if any(len(word) > 1 or word.isascii() for word in claim.tokens[start:end]) else ""
    return Difference(joint.join(claim.tokens[start:end]), joint.join(source.tokens[first:last]))


def _denies(words: Sequence[str]) -> bool:
    return (not NEGATIONS.isdisjoint(words) or "ない" in "".join(words)) and not {"only", "just", "nur"} & {*words}


def _slice(words: _Words, span: tuple[int, int]) -> _Words:
    return _Words(words.tokens[slice(*span)], words.written[slice(*span)], words.keys[slice(*span)])


def _only_in_first(own: _Words, other: _Words) -> list[str]:
    """Return the words of the first text that the second does not contain in any form."""
    return [
        word
        for word, key in zip(own.written, own.keys, strict=True)
        if key != _BETWEEN
        and not any(_is_same(word, key, *each) for each in zip(other.written, other.keys, strict=True))
    ]


def _means(word: str, small: frozenset[str]) -> bool:
    if word in DECISIVE or word in NEGATIONS:
        return True
    if len(word) == 1 and not word.isascii():
        return bool(_UNSPACED.match(word))
    return len(word) > 1 and word not in small and not any(map(str.isdecimal, word))


def _is_same(word: str, key: str, other_word: str, other: str) -> bool:
    """Return whether two words are forms of the same word, or whether one is a compound that ends with the other."""
    if word in DECISIVE or other_word in DECISIVE:
        return DECISIVE.get(word) == DECISIVE.get(other_word)
    if key == other or (word in NEGATIONS and other_word in NEGATIONS):
        return True
    short, long = sorted((key, other), key=len)
    if len(short) < _MIN_STEM:
        return False
    if long.endswith(short) and not long.startswith(short):
        return long[: -len(short)] not in _TURNING
    shared = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    return shared == len(short) or (shared >= _MIN_STEM and len(long) - shared <= _MAX_ENDING)
