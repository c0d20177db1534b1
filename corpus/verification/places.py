"""Entity context: the words that a source has in the position of a claim's name, found by the words around it."""

from __future__ import annotations

from corpus.verification.tokens import END, tokens

_MAX_NAME_WORDS = 5
"""Words that may be in the position of a name."""
_MAX_PLACES = 64
"""Occurrences of the same context in one source that are examined."""


class Places:
    """The words of one source by the words before them."""

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
        """The words between these contexts: two words on one side and one on the other, fewer at a sentence boundary.
        Empty where the context does not occur, nothing is between, or the context is too short to be reliable."""
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
