"""Warnings about a PDF that was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from corpus.readers.elements.protocol import left_out_warnings
from corpus.readers.ocr.engine_choice import reading_follows, unread_warning
from corpus.readers.ocr.recognition import TOOK_TOO_LONG, is_slow
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.text.font_encoding import GAP

_MAX_NAMED_PAGES = 10  # Pages named in a warning; the rest is counted.


def warnings_for(
    pages: list[Page], figures_left_out: int = 0, attached: int = 0, *, follows: bool = False
) -> tuple[str, ...]:
    """One sentence for each kind of loss, with its pages. `follows`: text recognition will read the pictures."""
    warnings = list(_picture_warnings(pages, follows=follows))
    if any(page.figures for page in pages) and not any(page.lines or page.lacks_text for page in pages):
        warnings.append("No page has any text.")
    if hidden_pages := [page.number for page in pages if page.hidden]:
        count = sum(page.hidden for page in pages)
        warnings.append(
            f"{count} characters that no reader would see (invisible, covered, tiny, of the colour of their "
            f"background, or other ones than are drawn) were left out, on {page_list(hidden_pages).lower()}."
        )
    warnings += left_out_warnings(sum((page.left_out for page in pages), Counter()))
    if damaged_pages := [page.number for page in pages if page.is_damaged]:
        warnings.append(f"{page_list(damaged_pages)} could not be read, for damage in the file.")
    if figures_left_out:
        warnings.append(f"{figures_left_out} figures were left out, for there are too many large ones.")
    if attached:
        files, they = ("1 file", "it") if attached == 1 else (f"{attached} files", "them")
        warnings.append(f"{files} attached to the document cannot be found. Save {they} apart to have {they} read.")
    return tuple(warnings)


def _picture_warnings(pages: list[Page], *, follows: bool) -> Iterator[str]:
    pictures = [page for page in pages if page.lacks_text]
    if unread_pages := [page.number for page in pictures if page.is_picture and page.is_unread]:
        is_single = len(unread_pages) == 1
        subject = f"{page_list(unread_pages)} {'is a picture' if is_single else 'are pictures'}"
        yield unread_warning(subject, single=is_single, follows=follows)
    yield from _font_warnings([page for page in pictures if not page.is_picture], follows=follows)
    if read_pages := [page.number for page in pictures if page.frame and page.lines]:
        was = "was" if len(read_pages) == 1 else "were"
        yield (
            f"{page_list(read_pages)} {was} read by text recognition (OCR); single characters and numbers may be wrong."
        )
    if empty := [page.number for page in pictures if page.frame and not page.lines]:
        yield f"{page_list(empty)}: a picture in which text recognition (OCR) found no text."
    for slow, what in ((True, TOOK_TOO_LONG), (False, "failed")):
        failed_pages = [page.number for page in pictures if page.given_up and is_slow(page.given_up) == slow]
        if failed_pages:
            yield f"{page_list(failed_pages)}: a picture whose text recognition (OCR) {what} and was given up."


def _font_warnings(pages: list[Page], *, follows: bool) -> Iterator[str]:
    """Warnings for pages whose fonts do not name their characters."""
    nonsense = [page.number for page in pages if page.nonsense and page.frame is None]
    if nonsense:
        yield (
            f"The text of {page_list(nonsense).lower()} makes no sense: "
            f"the fonts name other characters than they draw. The text was left out. {reading_follows(follows=follows)}"
        )
    gaps = [page for page in pages if page.gaps and not page.nonsense]
    for is_filled, outcome in (
        (False, f". {reading_follows(follows=follows)}"),
        (True, ", and text recognition (OCR) could not read them."),
    ):
        if numbers := [page.number for page in gaps if page.is_filled == is_filled]:
            where = f"words of {page_list(numbers).lower()} (shown as {GAP})"
            yield f"Characters are missing in {where}: a font does not name them{outcome}"


def page_list(numbers: Iterable[int]) -> str:
    """ "Page 3", "Pages 3 and 7", "Pages 1, 2, 3 and 17 more". Raises IndexError for no numbers."""
    texts = [str(number) for number in numbers]
    if len(texts) > _MAX_NAMED_PAGES:
        texts = [*texts[:_MAX_NAMED_PAGES], f"{len(texts) - _MAX_NAMED_PAGES} more"]
    first_pages = ", ".join(texts[:-1])
    return f"Pages {first_pages} and {texts[-1]}" if first_pages else f"Page {texts[0]}"
