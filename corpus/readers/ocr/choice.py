"""Which engine of text recognition there is; one for all files of a reading process, for its models are large."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.readers.ocr.protocol import OcrEngine

ENGINE = "rapidocr PP-OCRv6 small, 1"
"""The name of the engine; another one makes what was recognised before of no use."""

HOW_TO_INSTALL = "pip install rapidocr onnxruntime opencv-python-headless"
"""They come with Ibid wherever they have wheels, which is not so on a Mac with a processor of Intel."""

PICTURE_FILE = "The file is a picture"
"""How the warning begins that such a file was not looked at."""


def unread(subject: str, *, one: bool, follows: bool) -> str:
    """A sentence on pages or files that no text recognition has looked at, `Page 3 is a picture`: that it follows, or
    the cure."""
    if follows:
        return f"{subject} without text, not read yet by text recognition (OCR), which comes after all texts."
    says, it = ("it says", "it") if one else ("they say", "them")
    return (
        f"{subject} without text; what {says} cannot be found until text recognition (OCR) has read {it}: {_how()}, "
        "and ingest again."
    )


def reading_follows(*, follows: bool) -> str:
    """A sentence on what text recognition has not read: that it will, or how to have it do so."""
    if follows:
        return "Text recognition (OCR) reads them after all texts."
    return f"To have text recognition (OCR) read them: {_how()}, and ingest again."


def _how() -> str:
    return "set RAG_OCR to auto" if is_installed() else HOW_TO_INSTALL


def unread_picture(pages: int, *, follows: bool) -> str:
    """The same of a file that is one picture, or several."""
    return unread(PICTURE_FILE + (f" of {pages} pages" if pages > 1 else ""), one=pages == 1, follows=follows)


def is_installed() -> bool:
    """Whether there is an engine; nothing of it is loaded for the answer."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


@lru_cache(maxsize=1)
def engine() -> OcrEngine | None:
    """The engine, or None where none is installed."""
    if not is_installed():
        return None
    from corpus.readers.ocr.rapid import RapidEngine

    return RapidEngine()
