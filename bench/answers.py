"""Measure the quality of answers without a model: `python -m bench answers [PART…]`.

It covers the question set `mixed`, whose questions specify the text of a correct answer, and the PDF sets in
IBID_WILD_CORPORA, whose questions specify the page. `--folder` adds a folder of yours that contains `documents/` and
`questions.jsonl`. `--set` asks all questions a second time with one of the composer's numbers changed, as in
`candidates.KIND_WEIGHT=0`.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import anyio

from bench.corpus_index import kept_vectors
from bench.grounding.measures import auroc
from bench.parts import MIXED, Part, index_of, parts
from bench.questions import Question, all_questions, corpora
from bench.reports import keep
from bench.tables import table
from corpus.access import ANONYMOUS
from corpus.embedding.packaged import shared_embedder, token_count
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.search import Hit
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.evidence import Evidence, evidence
from corpus.synthesis.extractive_answer import compose_answer
from corpus.synthesis.prompting import Instructions, draft
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.retrieval import Retrieval, gather
from corpus.text.markdown import unescape
from prompts.texts import prompt_texts

RESULTS = Path(__file__).with_name("results") / "answers.md"
COMMAND = "python -m bench answers --write"
FOUND = 5
"""Number of top hits that must include the right page for an answer to be able to cite it."""
_CITATION = re.compile(r"\((?:Source|Quelle):")
HEAD = ("part", "questions", "right", "right first", "right document alone", "refused, has none",
        "refused, has one", "AUROC of confidence", "right page cited, of those found",
        "in the prompt, of those found", "tokens")  # fmt: skip


@dataclass(frozen=True)
class Answered:
    question: Question
    known: Evidence
    made: Synthesis
    prompt: str

    @property
    def found(self) -> tuple[Hit, ...]:
        return self.known.retrieval.hits

    @property
    def is_right(self) -> bool:
        """Whether the answer is correct: judged by the question's patterns if it has any, and otherwise by its page."""
        if not self.question.answerable:
            return False
        return self._has(self._text) if self.question.patterns else self.cites_page

    @property
    def is_right_first(self) -> bool:
        first = _CITATION.split(self._text)[0]
        return self._has(first) if self.question.patterns else self._on_page(self.made.sources[:1])

    @property
    def cites_only_its_document(self) -> bool:
        cited = {source.hit.document.filename for source in self.made.sources if source.hit}
        return self.is_right and cited <= {self.question.doc}

    @property
    def cites_page(self) -> bool:
        return self._on_page(self.made.sources)

    @property
    def page_was_found(self) -> bool:
        return bool(self.question.pages) and any(map(self._is_page, self.found[:FOUND]))

    @property
    def text_was_found(self) -> bool:
        return self._has("\n".join(source.text for source in self.known.retrieval.sources))

    @property
    def is_in_prompt(self) -> bool:
        return self._has(self.prompt)

    @property
    def _text(self) -> str:
        return unescape(self.made.answer.partition("\n")[2])

    def _has(self, text: str) -> bool:
        patterns = self.question.patterns
        return bool(patterns) and all(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)

    def _on_page(self, sources: Sequence[object]) -> bool:
        hits = (getattr(source, "hit", None) for source in sources)
        return any(self._is_page(hit) for hit in hits if hit)

    def _is_page(self, hit: Hit) -> bool:
        return hit.document.filename == self.question.doc and hit.block.page_number in self.question.pages


async def main(arguments: argparse.Namespace) -> None:
    folder = corpora()
    asked = [one for one in parts(folder, check=arguments.check, names=arguments.parts) if one.name != "development"]
    asked += [_own(place) for place in arguments.folder]
    rows: list[list[str]] = []
    with kept_vectors() as embedder:
        for part in asked:
            index = LocalIndex.open(await index_of(part, folder, arguments.indexes, embedder), embedder)
            library, nearness = Library(index, None), QuerySimilarity(shared_embedder())
            gathered_ = [
                await gather(SynthesisRequest(question.text), library, ANONYMOUS) for question in part.questions
            ]
            rows.append(await _row(part.name, part, gathered_, nearness))
            for change in arguments.set:
                with _changed(change):
                    rows.append(await _row(f"{part.name}, {change}", part, gathered_, nearness))
            await index.aclose()
    text = table(HEAD, rows)
    print(text)
    if arguments.write:
        keep(RESULTS, f"# Answers without a model\n\n{text}\n", COMMAND)


async def _row(name: str, part: Part, gathered_: Sequence[Retrieval], nearness: QuerySimilarity) -> list[str]:
    return _line(name, [await _answered(*pair, nearness) for pair in zip(part.questions, gathered_, strict=True)])


async def _answered(question: Question, found: Retrieval, nearness: QuerySimilarity) -> Answered:
    request = SynthesisRequest(question.text)
    known = await evidence(found, nearness)
    rules = Instructions(prompt_texts(None)["synthesis"].text, "bench")
    asked = draft(request, known, rules, token_count, 0.0).prompt.text if found.sources else ""
    return Answered(question, known, await compose_answer(request, known), asked)


def _line(name: str, all_of_them: Sequence[Answered]) -> list[str]:
    having = [one for one in all_of_them if one.question.answerable]
    lacking = [one for one in all_of_them if not one.question.answerable]
    truths = [one.is_right for one in all_of_them]
    area = auroc([one.made.confidence for one in all_of_them], truths) if len(set(truths)) > 1 else None
    paged = [one for one in having if one.page_was_found]
    told = [one for one in having if one.text_was_found]
    sizes = sorted(len(one.made.answer) // 4 for one in having)
    return [
        name,
        str(len(all_of_them)),
        _share([one.is_right for one in having]),
        _share([one.is_right_first for one in having]),
        _share([one.cites_only_its_document for one in having]),
        _share([not one.made.answered for one in lacking]),
        _share([not one.made.answered for one in having]),
        f"{area.value:.2f}" if area else "",
        _share([one.cites_page for one in paged]),
        _share([one.is_in_prompt for one in told]),
        str(sizes[len(sizes) // 2]) if sizes else "",
    ]


def _share(of: Sequence[bool]) -> str:
    return f"{sum(of) / len(of):.2f} ({len(of)})" if of else ""


@contextmanager
def _changed(change: str) -> Iterator[None]:
    """Change a number in one of the composer's modules while the context is open, as in `candidates.KIND_WEIGHT=0`."""
    place, _, value = change.partition("=")
    module_name, _, name = place.rpartition(".")
    module = import_module(f"corpus.synthesis.extractive.{module_name}")
    before = getattr(module, name)
    setattr(module, name, ast.literal_eval(value))
    try:
        yield
    finally:
        setattr(module, name, before)


def _own(place: Path) -> Part:
    files = tuple(sorted(file for file in (place / "documents").rglob("*") if file.is_file()))
    asked = [replace(question, set_name=place.name) for question in all_questions(place, place.name)]
    return Part(place.name, files, tuple(asked))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", help=f"{MIXED} or the name of a set of PDFs; all without")
    parser.add_argument("--check", action="store_true", help="also the sets that nothing may be chosen by")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--folder", action="append", type=Path, default=[], metavar="DIR")
    parser.add_argument("--indexes", type=Path, help="a folder with an index for each part")
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    anyio.run(main, parser.parse_args())
