"""Follow-up questions: what they leave out of the question before, and the documents that the last answer cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from corpus.synthesis.extractive.lexicon import LEANING
from corpus.synthesis.request import Turn
from corpus.text.markdown import unescape
from corpus.text.normalization import clean

MAX_SHORT = 6
"""Words of a question that leans on the one before, whatever they are."""
MAX_BEFORE_LENGTH = 500
MAX_BEFORE = 3
MAX_FILES = 3
"""Documents of the last answer that are preferred: an answer from more of them is about none in particular."""

_REFERRING = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|both|the\s+(?:same|former|latter)"
    r"|(?<!gibt )es|sie|ihn|ihm|ihnen|ihr|ihre[rnms]?|deren|dessen|dies(?:e[rnms]?)?|beide[nr]?|davon|dabei|dafür|damit"
    r"|daran|darin|darüber|dazu)\b",
    re.IGNORECASE,
)
"""Words that stand for something said before, wherever they are in a short question."""
_INSTEAD = re.compile(
    r"(?:(?:and|but|und|aber|also)\s+)?(?:(?:what|how)\s+about|was\s+ist\s+mit|wie\s+(?:ist|sieht)\s+es\s+(?:bei|mit)"
    r"|and|und|then|dann)\s++"
    r"(?:(?:for|with|of|in|at|für|bei|mit|von|in|im|beim|vom)\s++)?(?:(?:the|an?|der|die|das|den|dem|des|eine?[nmr]?)\s++)?"
    r"(?P<subject>[^?.!\n]{1,80}?)\s*[?.!]*",
    re.IGNORECASE,
)
""""And the X?": the question before, with X in place of what it was about."""
_DESIGNATION = r"(?:[-\s](?=[A-Z0-9])[\w./-]*\w)*"
_CODE = re.compile(r"(?<![\w./-])(?:(?!\d)[\w./-])*+\d[\w./-]*")
_NAME = re.compile(rf"(?<=[\w,;] )[A-ZÄÖÜ][\w./-]*\w{_DESIGNATION}")
_CITED = re.compile(r"\((?:Source|Quelle): (?P<called>(?:[^()\n]|\([^()\n]{0,200}\)){1,400})\)")


def previous_question(question: str, history: Sequence[Turn]) -> str:
    """The earlier questions that this one cannot be understood without, oldest first; empty where it stands alone.

    Of several follow-ups in a row, all back to the question that stands alone. "And the X?" gives the earlier question
    with X in place of what it was about, so that nothing of the former subject is looked for.
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
    return len(question.split()) <= MAX_SHORT or bool(LEANING.match(question))


def refers(question: str) -> bool:
    """Whether the question names its subject by a pronoun or leaves it out, instead of merely being short."""
    return bool(LEANING.match(question) or _REFERRING.search(question))


def with_subject_of(question: str, before: str) -> str | None:
    """`before` asked of the subject of "And the X?"; None for other questions, and where it is not clear what X
    replaces."""
    match = _INSTEAD.fullmatch(question.strip())
    if match is None:
        return None
    subject = match["subject"]
    former = _alike(subject, before)
    return before[: former[0]] + subject + before[former[1] :] if former else None


def _alike(subject: str, text: str) -> tuple[int, int] | None:
    """Where the text names the same kind of thing: with the same first word, as a code of the same shape, or as the
    only name in it."""
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
    """The names of the files that the last answer with citations cites, in the ways in which they may be meant, the
    likeliest first; nothing where it cites more than a few."""
    for turn in reversed(history):
        if turn.role != "assistant":
            continue
        cited = dict.fromkeys(
            _names(unescape(match["called"])) for match in _CITED.finditer(clean(turn.text))
        )
        if cited:
            most = max(map(len, cited)) if len(cited) <= MAX_FILES else 0
            return tuple(tuple(names[min(way, len(names) - 1)] for names in cited) for way in range(most))
    return ()


def _names(called: str) -> tuple[str, ...]:
    """`2024/bill.pdf, S. 4` may be `2024/bill.pdf` or `bill.pdf`; a name may hold a comma itself."""
    name = called.rpartition(", ")[0] or called
    first = called.partition(", ")[0]  # a heading may stand between the name and the lines
    whole = called if re.fullmatch(r"\.\w{1,5}", PurePath(called).suffix) else name
    return tuple(dict.fromkeys((whole, name, first, PurePath(name).name)))
