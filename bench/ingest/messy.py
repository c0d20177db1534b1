"""Create a folder of small messy PDFs: `python -m bench.ingest.messy FOLDER [COUNT]`. Exactly three cannot be read.

The files are pages of the sample documents, each altered in one of the ways in `FAULTS`; the same arguments create the
same files. Files that only look broken must be read; `unreadable` lists the three that cannot be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bench.ingest.faults import FAULTS, encrypted, saved
from corpus.readers.pdf.page_geometry import pdfium

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
NAMES = (
    "report {n}.pdf", "Prüfbericht ({n}) – Entwurf.pdf", "[bold red]{n}[link].pdf", "{n}%20final FINAL.PDF",
    "--{n}.pdf", "手册 {n}.pdf",
    "line\nbreak {n}.pdf", "{n}." + "x" * 200 + ".pdf", "𝔇ata 📎 {n}.pdf", "a'b\"c {n}.pdf",
)  # fmt: skip
FOLDERS = ("", "2019/Q3", "Old Stuff/copy of copy", "内部/x.pdf")
"""Folders of the files. The last one is named like a file."""


def make(folder: Path, count: int) -> None:
    """Create `count` files, including the three unreadable ones."""
    faults = list(FAULTS.values())
    for n in range(count - len(UNREADABLE)):
        put(folder, n, faults[n % len(faults)](sample(n % len(_pages())), n))
    for place, name in zip((count // 3, count // 2, count - 1), UNREADABLE, strict=True):
        put(folder, place, UNREADABLE[name](sample(place % len(_pages()))), name)


def put(folder: Path, n: int, data: bytes, name: str = "") -> None:
    place = folder / FOLDERS[n // 7 % len(FOLDERS)]
    place.mkdir(parents=True, exist_ok=True)
    (place / (name or NAMES[n // 3 % len(NAMES)].format(n=n))).write_bytes(data)


UNREADABLE: dict[str, Callable[[bytes], bytes]] = {
    "broken download.pdf": lambda data: data[:40] + b"\0" * 2_000,
    "nothing.pdf": lambda _: b"",
    "secret.pdf": lambda _: encrypted("not told to anybody"),
}
"""Files that no reader can convert to a document, by name."""


@cache
def sample(number: int) -> bytes:
    """Return one page of a sample document as a separate file."""
    path, index = _pages()[number]
    source, page = pdfium.PdfDocument(path), pdfium.PdfDocument.new()
    page.import_pages(source, [index])
    return saved(page)


@cache
def _pages() -> tuple[tuple[Path, int], ...]:
    files = sorted(SAMPLES.glob("*.pdf"))
    return tuple((path, index) for path in files for index in range(len(pdfium.PdfDocument(path))))


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5_000)
