"""Count the altered claims that are not `found`, and the true sentences in another form that still are `found`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import sentencex

from bench.grounding.alter import KINDS, Altered, Sentence, alterations, reformatted
from bench.grounding.checking import check
from bench.grounding.edits import Language
from bench.grounding.measures import DRAWS, Measured, share
from bench.grounding.rows import LANGUAGES, rows
from bench.questions import corpora
from bench.tables import table
from corpus.readers.formats import reader_for
from corpus.readers.protocol import ReadBlock

HALVES = ("tuned on", "kept back")
EACH = 25
"""Number of altered claims for each combination of kind, language and half."""
_SAMPLES = Path(__file__).parents[2] / "examples" / "make_documents" / "texts"
_FILES: dict[str, dict[Language, tuple[str, ...]]] = {
    "tuned on": {
        "en": ("mixed/documents/notes/*-README.md", "northwind/employee_handbook.pdf"),
        "de": ("mixed/documents/notes/*.txt",),
    },
    "kept back": {
        "en": ("northwind/Benefit_Options.pdf", "northwind/Northwind_Standard*.pdf", "papers/*387.pdf"),
        "de": ("manuals/LinuxCNC_Integrator_de.pdf",),
    },
}
"""Files used in addition to the sample documents and the encyclopedia paragraphs. Each half gets every second file."""
_BLOCKS = 150
"""Maximum number of blocks used per file."""
_SENTENCES = 100
"""Maximum number of sentences per half and language that are also checked in other forms."""
_MIN_WORDS, _MAX_WORDS = 6, 40
_SHORTEST_SENTENCE = re.compile(r"^[A-ZÄÖÜ].*[.!?]$", re.DOTALL)


@dataclass(frozen=True)
class OnAltered:
    """The results. `seen` maps each kind of alteration to the fraction of claims that are not `found`. `kept` maps each
    form to the fraction of true sentences that are still `found`. `slips` contains the failures."""

    seen: dict[str, Measured]
    kept: dict[str, Measured]
    slips: list[tuple[Altered, str]]


def on_altered(folder: Path, half: str, language: Language) -> OnAltered:
    slips: list[tuple[Altered, str]] = []
    seen: dict[str, list[bool]] = {}
    kept: dict[str, list[bool]] = {}
    for hits, cases, wants_found in (
        (seen, altered(folder, half, language), False),
        (kept, true(folder, half, language), True),
    ):
        for case in cases:
            checked = check(case.claim, case.source, language)
            right = (checked.verdict == "found") == wants_found
            hits.setdefault(case.kind, []).append(right)
            if not right:
                slips.append((case, f"{checked.verdict} {list(checked.missing)}"))
    return OnAltered(
        {kind: share(hits, DRAWS) for kind, hits in seen.items()},
        {kind: share(hits, DRAWS) for kind, hits in kept.items()},
        slips,
    )


def altered(folder: Path, half: str, language: Language) -> Iterator[Altered]:
    given = _sentences(folder, half, language)
    words = sorted({word for one in given for word in re.findall(r"[^\W\d_]{5,}", one.text)})
    for kind in KINDS:
        random, count = Random(f"{kind} {half} {language}"), Counter[str]()
        made = (alterations(kind, one, words, random) for one in random.sample(given, len(given)))
        for one in islice((one for one in made if one and not count[one.source]), EACH):
            count[one.source] += 1
            yield one


def true(folder: Path, half: str, language: Language) -> Iterator[Altered]:
    given = _sentences(folder, half, language)
    for at in sorted(Random(7).sample(range(len(given)), min(_SENTENCES, len(given)))):
        yield from reformatted(given[at], given[at - 1])


@cache
def _sentences(folder: Path, half: str, language: Language) -> list[Sentence]:
    passages = list(_passages(folder, half, language))
    found = [
        Sentence(text, passage, language)
        for passage in passages
        for one in sentencex.segment(language, passage)
        if _SHORTEST_SENTENCE.match(text := one.strip())
        and _MIN_WORDS <= len(text.split()) <= _MAX_WORDS
        and text in passage
        and not re.search(r"\n\s*\n|[|`#]", text)
    ]
    return list({(one.text, one.source): one for one in found}.values())


def _passages(folder: Path, half: str, language: Language) -> Iterator[str]:
    made = dict.fromkeys(row.evidence for row in rows(folder, "xquad_perturb") if row.language == language)
    yield from list(made)[HALVES.index(half) :: 2]
    for pattern in _FILES[half][language]:
        for path in sorted(folder.glob(pattern)):
            yield from _blocks(path)
    if half == HALVES[0]:
        for path in sorted(_SAMPLES.glob("*.md")):
            if ("pumpe-" in path.name) == (language == "de"):
                yield from _blocks(path)


def _blocks(path: Path) -> Iterator[str]:
    blocks = (step for step in reader_for(path)(path) if isinstance(step, ReadBlock))
    return (block.content for block in islice(blocks, _BLOCKS) if block.content)


def altered_table(folder: Path) -> tuple[str, str]:
    """Return two tables with a row for each half and language: the fractions of altered claims that are not `found`,
    and the fractions of true sentences that are `found`."""
    measured = {(half, language): on_altered(folder, half, language) for half in HALVES for language in LANGUAGES}
    return _table(measured, lambda one: one.seen), _table(measured, lambda one: one.kept)


def _table(measured: dict[tuple[str, Language], OnAltered], part: Callable[[OnAltered], dict[str, Measured]]) -> str:
    kinds = list(dict.fromkeys(kind for one in measured.values() for kind in part(one)))
    lines = [
        [half, language, *(f"{shares[kind].value:.2f} of {shares[kind].count}" for kind in kinds)]
        for (half, language), one in measured.items()
        if (shares := part(one))
    ]
    return table(["sentences", "language", *kinds], lines)


if __name__ == "__main__":  # prints undetected alterations in the half used for tuning
    for language in LANGUAGES:
        for case, verdict in on_altered(corpora(), HALVES[0], language).slips:
            print(f"{language} {case.kind}: {case.claim!r} is {verdict}")
