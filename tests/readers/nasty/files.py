"""All hostile and broken files."""

from __future__ import annotations

from tests.readers.nasty.mails import MAILS
from tests.readers.nasty.odt import ODT
from tests.readers.nasty.pdf_pages import PAGES
from tests.readers.nasty.pdf_structures import STRUCTURES
from tests.readers.nasty.pictures import PICTURES
from tests.readers.nasty.rtf import RTF
from tests.readers.nasty.sheets import SHEETS
from tests.readers.nasty.slides import SLIDES
from tests.readers.nasty.texts import TEXTS
from tests.readers.nasty.web import WEB
from tests.readers.nasty.word import WORD
from tests.readers.nasty.word_parts import WORD_PARTS

FILES = [
    *STRUCTURES,
    *PAGES,
    *WORD,
    *WORD_PARTS,
    *SHEETS,
    *SLIDES,
    *ODT,
    *WEB,
    *TEXTS,
    *MAILS,
    *RTF,
    *PICTURES,
]
