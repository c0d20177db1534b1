"""A model's answer: generate the text, sanitize it, check it against its sources, and cite in the requested style."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import anyio
import anyio.to_thread
import structlog

from corpus.citing.reading import says_not_found
from corpus.errors import IbidError, LLMError
from corpus.generation.protocol import Prompt, TextGenerator
from corpus.readers.languages import language_of
from corpus.synthesis.answer import NOT_IN_SOURCES, Source, Synthesis
from corpus.synthesis.answerability import UNSURE
from corpus.synthesis.checking import ClaimCheck, check_claims_by_meaning, has_no_support
from corpus.synthesis.confidence import NOTICE, confidence
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.extractive.lexicon import language_of as language_of_words
from corpus.synthesis.extractive_answer import refusal
from corpus.synthesis.prompting import Draft
from corpus.synthesis.request import CitationStyle, SynthesisRequest
from corpus.synthesis.sanitize_markdown import MAX_ANSWER, SanitizedText, allowed, sanitize_markdown
from corpus.synthesis.sources import cite_by_source, source_list
from corpus.synthesis.verdict_notes import add_notes, is_forged, remove_forged
from corpus.synthesis.writer import Pen

MAX_PERIOD = 60
"""Maximum length of a repeated sequence to detect, in words or characters."""
_SAME_SHARE = 0.95
"""Minimum fraction of units that must repeat for a text to count as repetition. Counters within a repetition may
differ."""
_MIN_HALF = 24
"""Minimum number of units in the second half of a text that may count as repetition."""
_MAX_REFUSAL = 60
"""Maximum number of words in a refusal. A longer text says more than that."""
_MIN_ECHO_LINE = 60
"""Minimum length in characters of a line of the instructions that cannot appear in an answer by chance."""

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
    """The output cannot be used as an answer. The message completes `The model wrote no answer: …`."""


def refuse(text: str, prompt: Prompt) -> None:
    """Raise Unusable if the text does not answer the prompt. The time is linear in the length of the text."""
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
    """Return the body if the text is one fenced code block, or else the text itself."""
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
    """Return whether the second half of a text repeats one sequence at least three times."""
    tail = units[len(units) // 2 :]
    if len(tail) < _MIN_HALF:
        return False
    for period in range(1, min(MAX_PERIOD, len(tail) // 3) + 1):
        same = sum(first == second for first, second in zip(tail, islice(tail, period, None), strict=False))
        if same >= _SAME_SHARE * (len(tail) - period):
            return True
    return False


log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """The text that a model wrote, and the model's id. If the model wrote no text, `text` is None and `warnings` give
    the reason. `cut` is True if the text ends at the token limit."""

    text: str | None
    model: str | None = None
    cut: bool = False
    warnings: tuple[str, ...] = ()


async def generate_text(prompt: Prompt, writer: TextGenerator, seconds: float) -> GeneratedText:
    """Return the writer's text, cut to MAX_ANSWER characters. Never raise an error: if the writer fails, writes nothing
    or takes longer than `seconds`, the text is None and a warning gives the reason."""
    with anyio.move_on_after(seconds):
        try:
            generated = await writer.generate(prompt)
            if not generated.text.strip():
                raise LLMError("its answer was empty.")
        except IbidError as problem:
            return GeneratedText(None, warnings=(f"{writer.id} wrote no answer: {problem}",))
        except Exception:
            log.exception("synthesis.writer_failed", writer=writer.id)
            why = "it failed in a way that nobody expected."
            return GeneratedText(None, warnings=(f"{writer.id} wrote no answer: {why}",))
        text = generated.text[:MAX_ANSWER]
        warning = f"The model's answer was longer than {MAX_ANSWER} characters, and its end was left out."
        return GeneratedText(text, writer.id, generated.cut, (warning,) if text != generated.text else ())
    return GeneratedText(None, warnings=(timeout_warning(seconds),))


def timeout_warning(seconds: float) -> str:
    """Return the warning that no answer came within `seconds`."""
    return f"No answer was written within {max(0.0, seconds):.0f} seconds."


_LISTED = re.compile(r"\s*(?:[-*] )?\[\d{1,6}\].*")
_TITLE = re.compile(
    r"\s{0,3}#{0,6}\s{0,3}(?:\*\*|__)?(?:Sources|References|Quellen|Quellenverzeichnis)(?:\*\*|__)?:?(?:\*\*|__)?\s*",
    re.IGNORECASE,
)


async def model_answer(
    request: SynthesisRequest, evidence: Evidence, draft: Draft, generated: GeneratedText, pen: Pen
) -> Synthesis:
    """Check a model's text and return the answer, without the warnings of retrieval, which differ by caller.

    Raise Unusable if the text does not answer the prompt, states nothing, or has no support in any source.
    """
    body, safe = await anyio.to_thread.run_sync(_read, generated.text or "", draft)
    version = pen.instructions.version
    if safe is None:
        return Synthesis(NOT_IN_SOURCES, "llm", model=generated.model, prompt_version=version, answered=False)
    question_language = language_of_words(re.findall(r"\w+", evidence.retrieval.question.casefold()))
    language = await anyio.to_thread.run_sync(language_of, body)
    check = await check_claims_by_meaning(body, draft.offered, pen.embedder, language, pen.judge)
    if not (check.claims or check.citations or "![" in body):
        raise Unusable("its text states nothing.")
    if await has_no_support(check.claims, draft.offered, pen.embedder, language or question_language):
        raise Unusable("nothing in its text stands in any source.")
    doubt = (refusal(evidence),) if evidence.is_unanswered else ()
    cited = tuple(source for source in draft.offered if source.citation_number in check.citations)
    trust, factors = confidence(draft.offered, check.claims, evidence.chance, contradictions=len(check.contradictions))
    style = request.citation_style or "inline"
    answer_text = await anyio.to_thread.run_sync(
        _finish, body, check, cited, style, trust, question_language or language
    )
    return Synthesis(
        answer=answer_text,
        mode="llm",
        sources=cited or draft.offered,
        confidence=trust,
        confidence_factors=factors,
        claims=check.claims,
        invalid_citations=check.invalid,
        contradictions=check.contradictions,
        warnings=(*_flaws(check), *doubt, *_draft_warnings(draft, generated, safe)),
        model=generated.model,
        prompt_version=version,
    )


def _read(text: str, draft: Draft) -> tuple[str, SanitizedText | None]:
    """Return the sanitized body without its source list, and the result of sanitizing. The latter is None if the text
    only says that the sources contain no answer. Raise Unusable if the text cannot be used."""
    unforged = remove_forged(text)
    safe = sanitize_markdown(unforged or "", *allowed(draft.offered))
    if unforged is None or is_forged(safe.text):
        raise Unusable("it wrote marks of a check itself.")
    body = _without_own_list(safe.text)
    if says_not_found(body):
        return body, None
    refuse(unforged, draft.prompt)
    return body, safe


def _without_own_list(text: str) -> str:
    """Return the text without its final list of sources, which a correct list replaces."""
    lines = text.rstrip().split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or _LISTED.fullmatch(lines[end - 1])):
        end -= 1
    is_list = end and end < len(lines) and _TITLE.fullmatch(lines[end - 1])
    return "\n".join(lines[: end - 1] if is_list else lines).strip()


def _finish(
    body: str,
    check: ClaimCheck,
    cited: tuple[Source, ...],
    style: CitationStyle,
    trust: float,
    language: str | None,
) -> str:
    """Return the body with notes on unsupported claims, citations in the requested style, the source list and the
    notice."""
    annotated = add_notes(body, check.claims, language)
    renamed = cite_by_source(annotated, cited) if style == "source" else ""
    # Keep the numbers, with the list below, if source names would make the answer too long.
    uses_names = 0 < len(renamed) <= MAX_ANSWER
    # Sanitize again: a name in place of a number can end a code span.
    parts = [sanitize_markdown(renamed, *allowed(cited)).text if uses_names else annotated]
    if cited and not uses_names:
        parts.append(source_list(cited))
    if trust < UNSURE:
        parts.append(NOTICE)
    return "\n\n".join(parts)


def _flaws(check: ClaimCheck) -> list[str]:
    """Return warnings about claims and citations that the check rejects."""
    unsupported = sum(claim.is_unsupported for claim in check.claims)
    uncited = sum(claim.verdict == "uncited" for claim in check.claims)
    warnings = list(check.warnings)
    if unsupported:
        warnings.append(
            f"Claims that do not stand in the sources that they cite: {unsupported} of {len(check.claims)}."
        )
    if uncited:
        warnings.append(f"Claims without a citation: {uncited} of {len(check.claims)}.")
    if check.invalid:
        warnings.append(f"Citations of no source: {', '.join(check.invalid[:5])}.")
    if check.unchecked:
        warnings.append(f"Claims that were not checked, at the end: {check.unchecked}.")
    return warnings


def _draft_warnings(draft: Draft, generated: GeneratedText, safe: SanitizedText) -> list[str]:
    warnings = list(generated.warnings)
    if draft.left_out:
        names = ", ".join(source.name for source in draft.left_out[:5])
        more = f" and {len(draft.left_out) - 5} more" if len(draft.left_out) > 5 else ""
        cure = "A narrower question, or block_ids, brings them in."
        warnings.append(f"Not shown to the model, for want of room: {names}{more}. {cure}")
    if generated.cut:
        warnings.append("The model's answer ends where its tokens ended; a larger max_tokens gives the rest.")
    if removed := safe.pictures + safe.links:
        warnings.append(f"{removed} pictures or links that no source holds were taken out of the model's answer.")
    return warnings


@dataclass(frozen=True, slots=True)
class Attempt:
    """One writer's checked answer, or None and warnings that give the reason."""

    synthesis: Synthesis | None
    warnings: tuple[str, ...] = ()


async def attempt(
    request: SynthesisRequest,
    evidence: Evidence,
    make_draft: Callable[[], Awaitable[Draft]],
    writer: TextGenerator,
    pen: Pen,
    seconds: float,
) -> Attempt:
    """Return one writer's checked answer. The writer has `seconds` to write. Never raise an error."""
    try:
        draft = await make_draft()
        generated = await generate_text(draft.prompt, writer, seconds)
        if generated.text is None:
            return Attempt(None, generated.warnings)
        return Attempt(await model_answer(request, evidence, draft, generated, pen))
    except Unusable as why:
        log.info("synthesis.text_not_used", writer=writer.id, why=str(why))
        return Attempt(None, (f"{writer.id} wrote no answer: {why}",))
    except Exception:
        log.exception("synthesis.writing_failed", writer=writer.id)
        return Attempt(None, (f"{writer.id} wrote an answer that could not be checked.",))
