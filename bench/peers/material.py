"""The documents of this bench: those of the development corpora, and growing numbers of synthetic documents."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from bench.peers.promise import Material
from bench.questions import SETS

PDFS = 100
"""Number of PDFs. pdf-mcp searches at most this many per query."""
WORDS_A_LINE = 8
VOWELS, CONSONANTS = "aeiou", "bdfgklmnprstvz"
FUNCTION = ("the", "of", "and", "to", "in", "a", "is", "for", "with", "on")


def development(corpora: Path, folder: Path) -> Material:
    """Return all PDFs of the sets that have questions."""
    files = sorted(file for name in SETS for file in (corpora / name).glob("*.pdf"))
    return _laid(files, folder)


class Synthetic:
    """Synthetic pages of 60 to 180 words, Zipf-distributed over 60,000 invented words, and questions of words that
    occur together on one page."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self._random = np.random.default_rng(pages)
        weights = 1 / np.arange(1, 60_001) ** 1.07
        self._chances = np.cumsum(weights / weights.sum())
        self._texts = [self._text() for _ in range(pages)]

    def laid(self, folder: Path) -> Material:
        """Write the pages to a hundred PDFs."""
        done = folder / "made"
        if not (done / "ready").exists():
            done.mkdir(parents=True, exist_ok=True)
            for n in range(PDFS):
                self._draw(done / f"report-{n:03}.pdf", self._texts[n::PDFS])
            (done / "ready").touch()
        return replace(_laid(sorted(done.glob("*.pdf")), folder), drawn=True)

    def questions(self, count: int) -> list[tuple[str, tuple[str, int]]]:
        """Return `count` questions, each with its page. A question consists of a function word, two words of medium
        frequency and a rare word from that page."""
        random, asked = np.random.default_rng(7), []
        for n in random.integers(0, self.pages, count):
            ranks = sorted(set(self._texts[n]))
            middling = [rank for rank in ranks if 200 <= rank < 5_000] or ranks
            words = [ranks[0], *random.choice(middling, 2), ranks[-1]]
            page = (f"report-{n % PDFS:03}.pdf", int(n) // PDFS + 1)
            asked.append((" ".join(word(int(rank)) for rank in words), page))
        return asked

    def _text(self) -> list[int]:
        return [int(r) for r in self._chances.searchsorted(self._random.random(self._random.integers(60, 180)))]

    def _draw(self, file: Path, texts: list[list[int]]) -> None:
        canvas = Canvas(str(file), pagesize=A4, invariant=True)
        for ranks in texts:
            words = [word(rank) for rank in ranks]
            canvas.setFont("Helvetica", 10)
            lines = canvas.beginText(50, 780)
            for start in range(0, len(words), WORDS_A_LINE):
                lines.textLine(" ".join(words[start : start + WORDS_A_LINE]))
            canvas.drawText(lines)
            canvas.showPage()
        canvas.save()


def word(rank: int) -> str:
    """Return a pronounceable word, which is always the same for the same rank."""
    if rank < len(FUNCTION):
        return FUNCTION[rank]
    letters, rest = "", rank * 7919 + 70_000
    while rest:
        rest, consonant = divmod(rest, len(CONSONANTS))
        rest, vowel = divmod(rest, len(VOWELS))
        letters += CONSONANTS[consonant] + VOWELS[vowel]
    return letters


def _laid(files: list[Path], folder: Path) -> Material:
    """Return the PDFs, and the text of their pages."""
    pdfs, texts = folder / "pdfs", folder / "texts"
    names = {_slug(file.stem): file.name for file in files}
    if not (folder / "ready").exists():
        for file in files:
            pdfs.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, pdfs / file.name)
            _write_texts(file, texts / _slug(file.stem))
        (folder / "ready").touch()
    return Material(pdfs.absolute(), texts.absolute(), names)


def _write_texts(file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    document = pypdfium2.PdfDocument(file)
    for n in range(len(document)):
        text = document[n].get_textpage().get_text_bounded().replace("\r\n", "\n")
        heading = f"# {file.stem}, page {n + 1}"
        (folder / f"p{n + 1:04}.md").write_text(f"{heading}\n\n{text}\n", encoding="utf-8")
    document.close()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
