"""The word before a page number in a citation: one that a setting fixes, or that of the reader's language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.citations import PAGE
from corpus.synthesis.extractive.wording import language_of

BY_LANGUAGE = "auto"

_SAMPLE_CHARACTERS = 4_000
"""Characters at the beginning of a text, from which its language is told."""
_GERMAN, _DEFAULT = "S.", "p."


@dataclass(frozen=True, slots=True)
class PageWords:
    """`fixed` is the word for every language, or `auto`."""

    fixed: str = PAGE

    def for_question(self, question: str) -> str:
        """In the language of a question, told from its small words."""
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return self.for_language(language_of(re.findall(r"\w+", question[:_SAMPLE_CHARACTERS].casefold())))

    def for_language(self, language: str | None) -> str:
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return _GERMAN if (language or "").startswith("de") else _DEFAULT
