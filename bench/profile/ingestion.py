"""Read documents, including layout and figures, and write them to an index, all in the profiled process.

`python -m bench profile ingestion [FILE …]`; without files, it reads the sample documents.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from corpus.index.local import LocalIndex
from corpus.ingestion.build_document import document_and_blocks
from corpus.ingestion.file_decision import fingerprint
from corpus.readers.formats import reader_for
from corpus.readers.protocol import ReadBlock, ReadDocument

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"


def prepared(arguments: Sequence[str]) -> tuple[Callable[[], object], int]:
    """Return a function that reads and ingests the files, and the number of runs. The function must be called only
    once."""
    parser = argparse.ArgumentParser(prog="bench profile ingestion")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(SAMPLES.glob("*.pdf")))
    return partial(_taken_in, parser.parse_args(arguments).files), 1


def _taken_in(files: Sequence[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = LocalIndex.open(Path(folder), None)
        for number, path in enumerate(files):
            document, blocks = document_and_blocks(
                path,
                _read(path),
                fingerprint(path),
                doc_id=f"d{number}",
                reader_version="1",
                document_type=None,
                department=None,
                access=("*",),
            )
            index._writer.replace(document, blocks, keep_access=False)
        index._close()


def _read(path: Path) -> ReadDocument:
    steps = list(reader_for(path)(path))
    (document,) = (step for step in steps if isinstance(step, ReadDocument))
    return replace(document, blocks=tuple(step for step in steps if isinstance(step, ReadBlock)))
