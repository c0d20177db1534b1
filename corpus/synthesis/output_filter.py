"""Reject a model's output that is no answer by its form: HTML, JSON, an echo, repetition or a refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice

from corpus.generation.protocol import Prompt

MAX_PERIOD = 60
"""Words (or characters) of the longest repeated sequence that is looked for."""
_SAME_SHARE = 0.95
"""Share of units that must repeat: counters within a repetition may differ."""
_MIN_HALF = 24
"""Units in the second half of a text that may count as repetition."""
_MAX_REFUSAL = 60
"""Words of a refusal. A longer text says something besides."""
_MIN_ECHO_LINE = 60
"""Characters of a line of the instructions that no answer contains by chance."""

_CODE_STARTS = re.compile(r"```[a-z]{0,10}", re.IGNORECASE)
_FENCE = re.compile(r"^<<([0-9a-f]{24})>>$", re.MULTILINE)
_HTML = re.compile(r"<(?:!doctype\b|html\b|head\b|body\b|\?xml\b)", re.IGNORECASE)
_JSON = re.compile(r"\[?\s*\{\s*\"[^\"\n]{1,100}\"\s*:")
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am)? (?:sorry|afraid|apologi[sz]e|unable)|I (?:can(?:no|['’])t|won['’]t|will not|must decline)"
    r"|as an AI|es tut mir leid|tut mir leid|ich kann (?:dir |Ihnen |dabei |das |diese Frage |diese Anfrage )?"
    r"(?:leider )?nicht|als (?:eine? )?KI|ich darf (?:das |dabei )?nicht)\b",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[\d{1,4}\]|\((?:Source|Quelle):", re.IGNORECASE)


class Unusable(Exception):
    """The output is no answer. The message completes `The model wrote no answer: …`."""


def refuse(text: str, prompt: Prompt) -> None:
    """Raises Unusable where the text is no answer to the prompt. Linear in the text."""
    body = _without_fence(text.strip())
    if _HTML.match(body):
        raise Unusable("its text is a page of HTML.")
    if _is_json(body):
        raise Unusable("its text is JSON.")
    if _is_echo(text, prompt):
        raise Unusable("its text repeats what it was asked.")
    if _goes_round(re.findall(r"\w+", text)) or _goes_round(re.sub(r"\s", "", text)):
        raise Unusable("its text says the same again and again.")
    if len(text.split()) <= _MAX_REFUSAL and _REFUSAL.search(text) and not _CITED.search(text):
        raise Unusable("it declined.")


def _without_fence(text: str) -> str:
    """The body of a text that is one fenced code block, else the text itself."""
    first, _, rest = text.partition("\n")
    is_code = _CODE_STARTS.fullmatch(first.rstrip()) and rest.endswith("```")
    return rest.removesuffix("```").strip() if is_code else text


def _is_json(body: str) -> bool:
    if _JSON.match(body):
        return True  # truncated JSON does not parse
    try:
        return body[:1] in "{[" and isinstance(json.loads(body), dict | list) and not _CITED.match(body)
    except (ValueError, RecursionError):
        return False


def _is_echo(text: str, prompt: Prompt) -> bool:
    if any(code in text for code in set(_FENCE.findall(prompt.text))):
        return True
    flat = " ".join(text.split())
    own = (" ".join(line.split()) for line in prompt.system.splitlines())
    question = prompt.text.partition("\n\n")[0].removeprefix("Question: ")
    return flat == " ".join(question.split()) or any(len(line) >= _MIN_ECHO_LINE and line in flat for line in own)


def _goes_round(units: Sequence[str]) -> bool:
    """Whether the second half of a text repeats one sequence at least three times."""
    tail = units[len(units) // 2 :]
    if len(tail) < _MIN_HALF:
        return False
    for period in range(1, min(MAX_PERIOD, len(tail) // 3) + 1):
        same = sum(first == second for first, second in zip(tail, islice(tail, period, None), strict=False))
        if same >= _SAME_SHARE * (len(tail) - period):
            return True
    return False
