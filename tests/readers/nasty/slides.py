"""Slides whose parts are missing or external."""

from __future__ import annotations

import io
import zipfile

from pptx import Presentation

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, Nasty
from tests.readers.nasty.packages import archive


def _slides() -> bytes:
    """Return slides whose notes and picture are missing, with an external film."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = SAID
    slide.part.rels.get_or_add_ext_rel("http://a/video", address("film.mp4"))
    buffer = io.BytesIO()
    deck.save(buffer)
    with zipfile.ZipFile(buffer) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    links = parts["ppt/slides/_rels/slide1.xml.rels"]
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    dead = b'<Relationship Id="rId9" Type="%s" Target="../NULL"/></Relationships>' % kind
    parts["ppt/slides/_rels/slide1.xml.rels"] = links.replace(b"</Relationships>", dead)
    return archive(parts.items())


SLIDES = [
    Nasty(name="dead-relation.pptx", make=_slides, says=SAID),
]
