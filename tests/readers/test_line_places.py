"""Lines of a page keep their positions in a block with cleaned text."""

from __future__ import annotations

from corpus.readers.pdf.sections import _places
from corpus.text.normalization import clean


def test_each_offset_is_the_length_of_the_cleaned_text_before_it() -> None:
    written = "A\u00adb\r\nc\rd\n\u200be\r\x00\nf\r\n"
    assert _places(written) == [len(clean(written[:n])) for n in range(len(written) + 1)]
    assert _places("a\u00ad\n" * 30_000)[-1] == 60_000
