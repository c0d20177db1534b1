"""Measure the speed of reading text with its layout: `python -m bench layout --only speed`.

It measures CPU time of this process, pinned to one core, over a complete long dense manual. The reader runs as in a
reading process. The time that PDFium alone needs for the text of the same pages, without layout, makes it possible to
compare machines.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from bench.layout import corpora
from bench.tables import table
from corpus.readers.pdf.pdf_file import open_pdf
from corpus.readers.pdf.reader import read_pdf

_MANUAL = Path("manuals/ngspice-manual.pdf")


def run() -> None:
    """Print pages per second of CPU time."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    path = corpora() / _MANUAL
    with open_pdf(path) as document:
        count = len(document)
    rows = [
        [name, str(count), f"{seconds:.1f}", f"{count / seconds:.1f}"]
        for name, seconds in (
            ("blocks with layout", _seconds(lambda: _blocks(path))),
            ("PDFium's text alone", _seconds(lambda: _plain(path))),
        )
    ]
    print(f"### Speed, {path.name}\n\n{table(['what', 'pages', 'CPU s', 'pages/s'], rows)}\n", flush=True)


def _blocks(path: Path) -> None:
    for _ in read_pdf(path):
        pass


def _plain(path: Path) -> None:
    with open_pdf(path) as document:
        for page in document:
            text = page.get_textpage()
            text.get_text_bounded()
            text.close()
            page.close()


def _seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
