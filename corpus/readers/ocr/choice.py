"""Which engine of text recognition there is; one for all files of a reading process, for its models are large."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

from corpus.readers.ocr.promise import OcrEngine

HOW_TO_INSTALL = "pip install 'ibid-mcp[ocr]' (in a checkout pip install -e '.[ocr]')"
PICTURE_FILE = "The file is a picture"
"""How the warning begins that such a file was not looked at."""


def unread(subject: str, *, one: bool) -> str:
    """A sentence on pages or files that no text recognition has looked at, with the cure: `Page 3 is a picture`."""
    they, them = ("it says", "it") if one else ("they say", "them")
    return (
        f"{subject} without text; what {they} cannot be found until text recognition (OCR) has read {them}: "
        f"{HOW_TO_INSTALL}, leave RAG_OCR at auto, and ingest again."
    )


def unread_picture(pages: int) -> str:
    """The same of a file that is one picture, or several."""
    return unread(PICTURE_FILE + (f" of {pages} pages" if pages > 1 else ""), one=pages == 1)


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
