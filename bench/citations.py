"""Count the answers whose claims and sources are all read correctly, and the texts that are split correctly into
sentences."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.tables import table
from corpus.citing.protocol import Citable
from corpus.citing.reading import read_citations
from corpus.text.sentences import sentences

Case = Mapping[str, Any]


def cases(corpora: Path, name: str) -> list[Case]:
    lines = (corpora / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def wrongly_read(answers: Iterable[Case]) -> Iterator[tuple[Case, list[str]]]:
    """Yield each case in which at least one field is wrong, together with the wrong fields."""
    for case in answers:
        found = read_citations(case["answer"], _sources(case), case["lang"])
        expected = case["expected"]
        right = {
            "citations": list(found.citations) == expected["citations"],
            "invalid": list(found.invalid) == [str(name) for name in expected["invalid"]],
            "uncited": [claim.text for claim in found.uncited] == expected["uncited_sentences"],
        }
        if not all(right.values()):
            yield case, [field for field, is_right in right.items() if not is_right]


def wrongly_split(texts: Iterable[Case]) -> Iterator[Case]:
    for case in texts:
        text = case["text"]
        if [text[start:end] for start, end in sentences(text, case["lang"])] != case["sentences"]:
            yield case


def _sources(case: Case) -> list[Citable]:
    if "sources" in case:
        return [Citable(one["n"], one["file"], one["page"]) for one in case["sources"]]
    return [Citable(number) for number in range(1, case["n_sources"] + 1)]


def main() -> None:
    corpora = Path(os.environ["IBID_TEST_CORPORA"])
    answers, texts = cases(corpora, "citation_cases"), cases(corpora, "sentence_cases")
    wrong = list(wrongly_read(answers))
    split = Counter(case["lang"] for case in wrongly_split(texts))
    held = Counter(case["lang"] for case in texts)
    rows = [["answers", "all", f"{len(answers) - len(wrong)} of {len(answers)}"]]
    rows += [["sentences", one, f"{count - split[one]} of {count}"] for one, count in sorted(held.items())]
    print(table(["cases", "language", "right"], rows))
    if wrong:
        print("\n" + table(["tag", "case", "wrong"], [[c["tag"], c["id"], ", ".join(fields)] for c, fields in wrong]))


if __name__ == "__main__":
    main()
