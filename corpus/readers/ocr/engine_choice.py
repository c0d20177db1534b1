"""Choice of the text recognition engine. A reading process has one engine for all files, because its models are
large."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.readers.ocr.protocol import OcrEngine

ENGINE = "rapidocr PP-OCRv6 small, 1"  # Name of the engine. Another name invalidates all stored results.
HOW_TO_INSTALL = "pip install rapidocr onnxruntime opencv-python-headless"
"""These packages come with Ibid wherever they have wheels; Macs with an Intel processor have none."""

PICTURE_FILE = "The file is a picture"
"""Start of the warning that no text recognition has read an image file."""


def unread_warning(subject: str, *, single: bool, follows: bool) -> str:
    """A warning about pages or files that text recognition has not read. `subject` is its start, such as `Page 3 is a
    picture`. It says either that recognition follows, or how to enable it."""
    if follows:
        return f"{subject} without text, not read yet by text recognition (OCR), which comes after all texts."
    says, it = ("it says", "it") if single else ("they say", "them")
    return (
        f"{subject} without text; what {says} cannot be found until text recognition (OCR) has read {it}: {_how()}, "
        "and ingest again."
    )


def reading_follows(*, follows: bool) -> str:
    """A sentence on text that is not recognised yet: that recognition follows, or how to enable it."""
    if follows:
        return "Text recognition (OCR) reads them after all texts."
    return f"To have text recognition (OCR) read them: {_how()}, and ingest again."


def _how() -> str:
    return "set RAG_OCR to auto" if is_installed() else HOW_TO_INSTALL


def unread_picture(pages: int, *, follows: bool) -> str:
    """`unread` for a file that consists of one picture or several."""
    return unread_warning(
        PICTURE_FILE + (f" of {pages} pages" if pages > 1 else ""), single=pages == 1, follows=follows
    )


def is_installed() -> bool:
    """Whether an engine is installed. Loads nothing of it."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


@lru_cache(maxsize=1)
def engine() -> OcrEngine | None:
    """The engine, or None where none is installed."""
    if not is_installed():
        return None
    from corpus.readers.ocr.rapid import RapidEngine

    return RapidEngine()
