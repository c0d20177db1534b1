"""What a person should know of a document that was read, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.readers.pdf.pages import Page

_NAMED = 10


def warnings_for(pages: list[Page], figures_left_out: int = 0) -> tuple[str, ...]:
    """One sentence for each kind of loss, naming the pages."""
    warnings = []
    if not pages:
        warnings.append("The document has no pages.")
    if scans := [page.number for page in pages if page.is_picture]:
        one = len(scans) == 1
        warnings.append(
            f"{named(scans)} {'is a picture' if one else 'are pictures'} without text; "
            f"what {'it says' if one else 'they say'} cannot be found until text recognition (OCR) has added it."
        )
    elif pages and not any(page.lines for page in pages):
        warnings.append("No page has any text.")
    if hidden := [page.number for page in pages if page.hidden]:
        count = sum(page.hidden for page in pages)
        warnings.append(
            f"{count} characters that no reader would see (invisible, tiny, or of the colour of their background) "
            f"were left out, on {named(hidden).lower()}."
        )
    if damaged := [page.number for page in pages if page.is_damaged]:
        warnings.append(f"{named(damaged)} could not be read, for damage in the file.")
    if figures_left_out:
        warnings.append(f"{figures_left_out} figures were left out, for there are too many large ones.")
    return tuple(warnings)


def named(numbers: Iterable[int]) -> str:
    """ "Page 3", "Pages 3 and 7", "Pages 1, 2, 3 and 17 more"."""
    texts = [str(number) for number in numbers]
    if len(texts) > _NAMED:
        texts = [*texts[:_NAMED], f"{len(texts) - _NAMED} more"]
    listed = ", ".join(texts[:-1])
    return f"Pages {listed} and {texts[-1]}" if listed else f"Page {texts[0]}"
