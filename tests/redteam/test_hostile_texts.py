"""The time to process an external text is proportional to its length, whatever its content.

CPU time is measured at two sizes. A text of four times the length may take ten times as long; a quadratic step takes
sixteen times as long. Any step that takes less than `QUICK` passes, so that noise in a small sample decides nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from corpus.citing.protocol import Citable
from corpus.citing.reading import markers_in, read_citations
from corpus.errors import IbidError
from corpus.generation.protocol import Prompt, parse_response, presentable
from corpus.lookup.document_resolution import description
from corpus.model_services.service import BadAnswer
from corpus.search import embeddable, question
from corpus.synthesis.checking import check_claims
from corpus.synthesis.compose import material
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.model_answer import Unusable, _without_own_list, refuse
from corpus.synthesis.prompting import Instructions, draft
from corpus.synthesis.query_entities import all_stand, query_names
from corpus.synthesis.request import Observation, SynthesisRequest, Turn
from corpus.synthesis.retrieval import Retrieval
from corpus.synthesis.sanitize_markdown import sanitize_markdown
from corpus.synthesis.sources import cite_by_source, number_sources, observation_citation
from corpus.synthesis.verdict_notes import is_forged, mark_spans, remove_forged, remove_notes
from corpus.text.markdown import as_line, as_text, unescape, within_line
from corpus.text.normalization import clean, fold_case, token_estimate
from server.logs import search_text
from tools.llm_generate import prompt_of
from tools.token_budget import shortened

SIZE, TIMES = 5_000, 4
QUICK = 0.1
"""CPU seconds. A quadratic step that passes takes less than half a second for 40,000 characters."""
MOST = 10
TRIES = 3
"""Number of attempts, because CPU time also varies on a busy machine."""

SOURCES = (Citable(1, "a.pdf", 3), Citable(2, "a.pdf", 4, "ii"), Citable(5, url="https://x.org/a"))
PLAIN = "The pump turns at 2900 revolutions [1]. It was built on 4 July 1999 by Anna Smith."
OWN = number_sources([], [Observation(PLAIN, "https://x.org/a")])
PROMPT = Prompt(f"Question: x\n\n<<{'a' * 24}>>", "Use the sources alone. " * 20)
RUNS = [
    " ", "\n", "\t", "\u00a0", "\r\n", " \n", "\n\n", "\u2028", "```\n", "`", "<", "<a ", "[", "](", "![a](", "[a][",
    "(", "( ", "*", "_", "__", "1", ".", "1. ", "1,", "1-", "[1]", "[1-", "\u0301", "e\u0301", "\u200b", "漢", "½",
    "<think>", "<think> ", "</think>", "a", "a ", "Aa ", "Abcd ", "A. ", "www.a.", "http://", "a@", "&#", "\\", "|",
    "- ", "> ", "$", "<!--", "(Source: ", "\nSource: a", "(not ", '{"a":', "5 m ", "1/2/",
]  # fmt: skip


def in_a_turn(text: str) -> object:
    request = SynthesisRequest("q", history=(Turn("user", text),))
    known = Evidence(Retrieval(text, OWN), material(text, OWN), None)
    return draft(request, known, Instructions("", "1"), token_estimate, 0.0)


ENTRIES: dict[str, Callable[[str], object]] = {
    "what the client's model wrote": presentable,
    "what an endpoint answered": lambda text: parse_response(
        json.dumps({"choices": [{"message": {"content": text}}]}).encode()
    ),
    "whether it is an answer": lambda text: refuse(text, PROMPT),
    "whether one in a fence is": lambda text: refuse(f"```\n{text}x", PROMPT),
    "a thought before it": lambda text: presentable(f"x{text}<think>{text}</think>"),
    "marks of its own": remove_forged,
    "whether one is forged": is_forged,
    "pictures and links": lambda text: sanitize_markdown(text, ()),
    "its own list": _without_own_list,
    "names in place of numbers": lambda text: cite_by_source(text, OWN),
    "its claims": lambda text: read_citations(text, SOURCES, "en"),
    "its markers": lambda text: markers_in(text, SOURCES),
    "its claims against a source": lambda text: check_claims(text, OWN, "en"),
    "marks of an earlier check": remove_notes,
    "where they are": mark_spans,
    "an observation": lambda text: check_claims(PLAIN, number_sources([], [Observation(text)]), "en"),
    "the title of one": lambda text: observation_citation(Observation("x", text, text)),
    "a question and earlier turns": in_a_turn,
    "as markdown": as_text,
    "as a line": as_line,
    "within a line": within_line,
    "without escapes": unescape,
    "a query": question,
    "for an embedder": lambda text: embeddable(text, SIZE * TIMES),
    "a description": description,
    "names in a question": lambda text: query_names(text, "en"),
    "names in a text": lambda text: all_stand(("Merkur", "12"), text),
    "what is asked": parse_question,
    "cleaned": clean,
    "folded": fold_case,
    "shortened": lambda text: shortened(text, 100),
    "a prompt and its context": lambda text: prompt_of("", text[:5_000], {"a": text, text: 1}, 100, 0.0),
    "for the log": lambda text: search_text(text, plain=True),
}


def seconds(entry: Callable[[str], object], text: str) -> float:
    before = time.process_time()
    with suppress(IbidError, BadAnswer, Unusable):
        entry(text)
    return time.process_time() - before


def is_in_proportion(entry: Callable[[str], object], run: str) -> bool:
    def of(size: int) -> float:
        return seconds(entry, (run * (size // len(run) + 1))[:size])

    return any((took := of(SIZE * TIMES)) < QUICK or took < MOST * of(SIZE) for _ in range(TRIES))


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_time_grows_no_faster_than_the_length_of_a_text(entry: Callable[[str], object]) -> None:
    seconds(entry, PLAIN)  # excludes code that is loaded at first use
    assert not [run for run in RUNS if not is_in_proportion(entry, run)]


@pytest.mark.parametrize("run", ["\n", " ", "<think>", "\u0301", "[", "**"])
def test_a_text_of_four_million_characters_is_refused_or_read_immediately(run: str) -> None:
    text = run * (4_000_000 // len(run))
    assert seconds(presentable, text) < QUICK
    assert seconds(question, text) < QUICK
