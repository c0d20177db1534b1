"""Resolve follow-up questions: the earlier question they refer to, and the documents that the last answer cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from corpus.synthesis.extractive.lexicon import LEANING
from corpus.synthesis.request import Turn
from corpus.text.markdown import unescape
from corpus.text.normalization import clean

MAX_SHORT = 6
"""Words up to which any question counts as a follow-up."""
MAX_BEFORE_LENGTH = 500
"""Characters of an earlier question, to bound a search."""
MAX_BEFORE = 3
"""Earlier questions that a chain of follow-ups goes back."""
MAX_FILES = 3
"""Documents of the last answer that are preferred. An answer that cites more is about none in particular."""

_REFERRING = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|both|the\s+(?:same|former|latter)"
    r"|(?<!gibt )es|sie|ihn|ihm|ihnen|ihr|ihre[rnms]?|deren|dessen|dies(?:e[rnms]?)?|beide[nr]?|davon|dabei|dafür|damit"
    r"|daran|darin|darüber|dazu)\b",
    re.IGNORECASE,
)
"""Pronouns and pronominal adverbs, anywhere in a question."""
_INSTEAD = re.compile(
    r"(?:(?:and|but|und|aber|also)\s+)?(?:(?:what|how)\s+about|was\s+ist\s+mit|wie\s+(?:ist|sieht)\s+es\s+(?:bei|mit)"
    r"|and|und|then|dann)\s++"
    r"(?:(?:for|with|of|in|at|für|bei|mit|von|in|im|beim|vom)\s++)?(?:(?:the|an?|der|die|das|den|dem|des|eine?[nmr]?)\s++)?"
    r"(?P<subject>[^?.!\n]{1,80}?)\s*[?.!]*",
    re.IGNORECASE,
)
""""And the X?", which asks the previous question about X."""
_DESIGNATION = r"(?:[-\s](?=[A-Z0-9])[\w./-]*\w)*"
_CODE = re.compile(r"(?<![\w./-])(?:(?!\d)[\w./-])*+\d[\w./-]*")
_NAME = re.compile(rf"(?<=[\w,;] )[A-ZÄÖÜ][\w./-]*\w{_DESIGNATION}")
_CITED = re.compile(r"\((?:Source|Quelle): (?P<called>(?:[^()\n]|\([^()\n]{0,200}\)){1,400})\)")


def previous_question(question: str, history: Sequence[Turn]) -> str:
    """The earlier questions that this one depends on, oldest first, one a line; empty where it stands alone.

    A chain of follow-ups goes back to the question that stands alone. "And the X?" gives the earlier question with X in
    place of its subject, so that the former subject is not searched for.
    """
    earlier: list[str] = []
    texts = (clean(turn.text).strip() for turn in reversed(history) if turn.role == "user")
    for text in filter(None, texts):
        if not leans(earlier[0] if earlier else question) or len(earlier) == MAX_BEFORE:
            break
        earlier.insert(0, text[:MAX_BEFORE_LENGTH])
    if not earlier:
        return ""
    base = earlier[0]
    for follow_up in earlier[1:]:
        base = with_subject_of(follow_up, base) or f"{base}\n{follow_up}"
    return with_subject_of(question, base) or base


def leans(question: str) -> bool:
    """Whether a question is short or begins as a follow-up does ("And", "It")."""
    return len(question.split()) <= MAX_SHORT or bool(LEANING.match(question))


def refers(question: str) -> bool:
    """Whether a question has a pronoun for its subject or omits it, and is not merely short."""
    return bool(LEANING.match(question) or _REFERRING.search(question))


def with_subject_of(question: str, before: str) -> str | None:
    """`before` with its subject replaced by that of "And the X?". None for other questions, and where `before` has no
    clear counterpart of X."""
    match = _INSTEAD.fullmatch(question.strip())
    if match is None:
        return None
    subject = match["subject"]
    former = _alike(subject, before)
    return before[: former[0]] + subject + before[former[1] :] if former else None


def _alike(subject: str, text: str) -> tuple[int, int] | None:
    """The span in the text of the counterpart of a subject: a name with the same first word, a code of the same shape,
    or the only name."""
    head = re.escape(subject.split(maxsplit=1)[0])
    same_head = list(re.finditer(rf"\b{head}{_DESIGNATION}", text))
    if len(same_head) == 1 and same_head[0][0] != subject:
        return same_head[0].span()
    if _CODE.fullmatch(subject):
        codes = [match for match in _CODE.finditer(text) if _shape(match[0]) == _shape(subject)]
        return codes[0].span() if len(codes) == 1 else None
    names = list(_NAME.finditer(text))
    return names[0].span() if len(names) == 1 and subject[0].isupper() else None


def _shape(code: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", lambda digits: "0" * min(len(digits[0]), 4), code))


def file_names(history: Sequence[Turn]) -> tuple[tuple[str, ...], ...]:
    """The files that the last answer with citations cites. Each item is one reading of all their names, the likeliest
    first; empty if it cites more than MAX_FILES."""
    for turn in reversed(history):
        if turn.role != "assistant":
            continue
        cited = dict.fromkeys(_names(unescape(match["called"])) for match in _CITED.finditer(clean(turn.text)))
        if cited:
            most = max(map(len, cited)) if len(cited) <= MAX_FILES else 0
            return tuple(tuple(names[min(way, len(names) - 1)] for names in cited) for way in range(most))
    return ()


def _names(called: str) -> tuple[str, ...]:
    """The file names that a citation may mean, the likeliest first: `2024/bill.pdf, S. 4` means `2024/bill.pdf` or
    `bill.pdf`, and a name may contain a comma."""
    name = called.rpartition(", ")[0] or called
    first = called.partition(", ")[0]  # a heading may stand between the name and the lines
    whole = called if re.fullmatch(r"\.\w{1,5}", PurePath(called).suffix) else name
    return tuple(dict.fromkeys((whole, name, first, PurePath(name).name)))
