"""The page label of a citation ("S.", "p."): fixed by a setting, or in the reader's language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.citations import PAGE
from corpus.synthesis.extractive.lexicon import language_of

BY_LANGUAGE = "auto"

_SAMPLE_CHARACTERS = 4_000
"""Number of characters at the start of a text from which its language is detected."""
_GERMAN, _DEFAULT = "S.", "p."


@dataclass(frozen=True, slots=True)
class PageWords:
    """Configuration of the page label. `fixed` is the word for every language, or `auto`."""

    fixed: str = PAGE

    def for_question(self, question: str) -> str:
        """Return the label in the question's language, detected by its function words."""
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return self.for_language(language_of(re.findall(r"\w+", question[:_SAMPLE_CHARACTERS].casefold())))

    def for_language(self, language: str | None) -> str:
        """Return the label in this language."""
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return _GERMAN if (language or "").startswith("de") else _DEFAULT
