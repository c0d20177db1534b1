"""A model's text as an answer: made inert, checked against its sources, cited in the style that was asked for."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
import anyio.to_thread
import structlog

from corpus.citing.checkworthiness import says_not_found
from corpus.errors import IbidError, LLMError
from corpus.generation.protocol import Generated, Prompt, TextGenerator
from corpus.readers.languages import language_of
from corpus.synthesis.answer import NOT_IN_SOURCES, Source, Synthesis
from corpus.synthesis.answerability import UNSURE
from corpus.synthesis.checking import Checked, check_claims_by_meaning, stands_nowhere
from corpus.synthesis.confidence import NOTICE, confidence
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.extractive.lexicon import language_of as language_of_words
from corpus.synthesis.extractive_answer import unanswered
from corpus.synthesis.output_filter import Unusable, refuse
from corpus.synthesis.prompting import Draft
from corpus.synthesis.request import CitationStyle, SynthesisRequest
from corpus.synthesis.sanitize_markdown import LONGEST, Inert, allowed, sanitize_markdown
from corpus.synthesis.source_list import by_source, source_list
from corpus.synthesis.verdict_notes import add_notes, is_forged, without_forged
from corpus.synthesis.writer import Pen

# Pass 2: the text of an answer, or why a model gave none.

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Written:
    """A model's text and which model it is of, or None and what to tell of one that gave none."""

    text: str | None
    model: str | None = None
    cut: bool = False
    warnings: tuple[str, ...] = ()


async def written(prompt: Prompt, writer: TextGenerator, seconds: float) -> Written:
    """Never raises an error of ours: without a text, the warning says why the writer gave none in that many seconds."""
    with anyio.move_on_after(seconds):
        try:
            made = await _made(prompt, writer)
        except IbidError as problem:
            return Written(None, warnings=(f"{writer.id} wrote no answer: {problem}",))
        except Exception:
            log.exception("synthesis.writer_failed", writer=writer.id)
            why = "it failed in a way that nobody expected."
            return Written(None, warnings=(f"{writer.id} wrote no answer: {why}",))
        return _bounded(made, writer.id)
    return Written(None, warnings=(too_slow(seconds),))


def too_slow(seconds: float) -> str:
    return f"No answer was written within {max(0.0, seconds):.0f} seconds."


def _bounded(made: Generated, model: str) -> Written:
    """What is looked at of a text: the rest of an endless one would take time for nobody to read."""
    if len(made.text) <= LONGEST:
        return Written(made.text, model, made.cut)
    told = f"The model's answer was longer than {LONGEST} characters, and its end was left out."
    return Written(made.text[:LONGEST], model, made.cut, (told,))


async def _made(prompt: Prompt, writer: TextGenerator) -> Generated:
    made = await writer.generate(prompt)
    if not made.text.strip():
        raise LLMError("its answer was empty.")
    return made


_LISTED = re.compile(r"\s*(?:[-*] )?\[\d{1,6}\].*")
_TITLE = re.compile(
    r"\s{0,3}#{0,6}\s{0,3}(?:\*\*|__)?(?:Sources|References|Quellen|Quellenverzeichnis)(?:\*\*|__)?:?(?:\*\*|__)?\s*",
    re.IGNORECASE,
)


async def model_answer(
    request: SynthesisRequest, known: Evidence, asked: Draft, text: Written, pen: Pen
) -> Synthesis:
    """Without the warnings of what was found, which each who asks gets anew. Raises Unusable."""
    body, safe = await anyio.to_thread.run_sync(_read, text.text or "", asked)
    version = pen.instructions.version
    if safe is None:
        return Synthesis(NOT_IN_SOURCES, "llm", model=text.model, prompt_version=version, answered=False)
    spoken = language_of_words(re.findall(r"\w+", known.found.question.casefold()))
    language = await anyio.to_thread.run_sync(language_of, body)
    check = await check_claims_by_meaning(body, asked.offered, pen.embedder, language, pen.judge)
    if not (check.claims or check.citations or "![" in body):
        raise Unusable("its text states nothing.")
    if await stands_nowhere(check.claims, asked.offered, pen.embedder, language or spoken):
        raise Unusable("nothing in its text stands in any source.")
    doubt = (unanswered(known),) if known.is_unanswered else ()
    cited = tuple(one for one in asked.offered if one.citation_number in check.citations)
    trust, factors = confidence(
        asked.offered, check.claims, known.chance, contradictions=len(check.contradictions)
    )
    style = request.citation_style or "inline"
    shown = await anyio.to_thread.run_sync(_shown, body, check, cited, style, trust, spoken or language)
    return Synthesis(
        answer=shown,
        mode="llm",
        sources=cited or asked.offered,
        confidence=trust,
        confidence_factors=factors,
        claims=check.claims,
        invalid_citations=check.invalid,
        contradictions=check.contradictions,
        warnings=(*_flaws(check), *doubt, *_told(asked, text, safe)),
        model=text.model,
        prompt_version=version,
    )


def _read(text: str, asked: Draft) -> tuple[str, Inert | None]:
    """The body of a model's text, made inert; None for the second where it only says that the sources do not answer.
    Raises Unusable."""
    said = without_forged(text)
    safe = sanitize_markdown(said or "", *allowed(asked.offered))
    if said is None or is_forged(safe.text):
        raise Unusable("it wrote marks of a check itself.")
    body = _without_own_list(safe.text)
    if says_not_found(body):
        return body, None
    refuse(said, asked.prompt)
    return body, safe


def _without_own_list(text: str) -> str:
    """Without a list of sources at its end, for which the answer gets one that is right."""
    lines = text.rstrip().split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or _LISTED.fullmatch(lines[end - 1])):
        end -= 1
    is_list = end and end < len(lines) and _TITLE.fullmatch(lines[end - 1])
    return "\n".join(lines[: end - 1] if is_list else lines).strip()


def _shown(
    body: str,
    check: Checked,
    cited: tuple[Source, ...],
    style: CitationStyle,
    trust: float,
    language: str | None,
) -> str:
    shown = add_notes(body, check.claims, language)
    named = by_source(shown, cited) if style == "source" else ""
    # Where the names of its sources would make it endless, the numbers stay, with the list below.
    is_named = 0 < len(named) <= LONGEST
    # Once more, since names in place of numbers can end what was code.
    parts = [sanitize_markdown(named, *allowed(cited)).text if is_named else shown]
    if cited and not is_named:
        parts.append(source_list(cited))
    if trust < UNSURE:
        parts.append(NOTICE)
    return "\n\n".join(parts)


def _flaws(check: Checked) -> list[str]:
    """What the reader of the answer should not miss."""
    unsupported = sum(one.is_unsupported for one in check.claims)
    uncited = sum(one.verdict == "uncited" for one in check.claims)
    said = list(check.warnings)
    if unsupported:
        said.append(
            f"Claims that do not stand in the sources that they cite: {unsupported} of {len(check.claims)}."
        )
    if uncited:
        said.append(f"Claims without a citation: {uncited} of {len(check.claims)}.")
    if check.invalid:
        said.append(f"Citations of no source: {', '.join(check.invalid[:5])}.")
    if check.unchecked:
        said.append(f"Claims that were not checked, at the end: {check.unchecked}.")
    return said


def _told(asked: Draft, text: Written, safe: Inert) -> list[str]:
    told = list(text.warnings)
    if asked.left_out:
        named = ", ".join(one.called for one in asked.left_out[:5])
        more = f" and {len(asked.left_out) - 5} more" if len(asked.left_out) > 5 else ""
        cure = "A narrower question, or block_ids, brings them in."
        told.append(f"Not shown to the model, for want of room: {named}{more}. {cure}")
    if text.cut:
        told.append("The model's answer ends where its tokens ended; a larger max_tokens gives the rest.")
    if taken := safe.pictures + safe.links:
        told.append(f"{taken} pictures or links that no source holds were taken out of the model's answer.")
    return told


# Pass 2 by one model: a checked answer, or why what it gave is none.


@dataclass(frozen=True, slots=True)
class Tried:
    """Without an answer, the warnings say why."""

    made: Synthesis | None
    warnings: tuple[str, ...] = ()


async def attempt(
    request: SynthesisRequest,
    known: Evidence,
    drafted: Callable[[], Awaitable[Draft]],
    writer: TextGenerator,
    pen: Pen,
    seconds: float,
) -> Tried:
    """Never raises an error; the model has that many seconds."""
    try:
        asked = await drafted()
        text = await written(asked.prompt, writer, seconds)
        if text.text is None:
            return Tried(None, text.warnings)
        return Tried(await model_answer(request, known, asked, text, pen))
    except Unusable as why:
        log.info("synthesis.text_not_used", writer=writer.id, why=str(why))
        return Tried(None, (f"{writer.id} wrote no answer: {why}",))
    except Exception:
        log.exception("synthesis.writing_failed", writer=writer.id)
        return Tried(None, (f"{writer.id} wrote an answer that could not be checked.",))
