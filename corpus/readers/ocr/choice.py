"""Which engine of text recognition there is; one for all files of a reading process, for its models are large."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

from corpus.readers.ocr.promise import OcrEngine

HOW_TO_INSTALL = "pip install 'ibid-mcp[ocr]'"


def is_installed() -> bool:
    """Whether the extra `ocr` is there; nothing of it is loaded for the answer."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


@lru_cache(maxsize=1)
def engine() -> OcrEngine | None:
    """The engine, or None where none is installed."""
    if not is_installed():
        return None
    from corpus.readers.ocr.rapid import RapidEngine

    return RapidEngine()
