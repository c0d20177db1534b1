"""Word documents whose styles, notes and numbers refer back to themselves."""

from __future__ import annotations

from tests.readers.nasty.expected import SAID, Nasty
from tests.readers.nasty.packages import archive, word

_SPACE = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
_STYLED = "<w:p><w:pPr><w:pStyle w:val='A'/></w:pPr><w:r><w:t>Styled.</w:t></w:r></w:p>"
_COUNTED = (
    "<w:p><w:pPr><w:numPr><w:ilvl w:val='{}'/><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>One.</w:t></w:r></w:p>"
)


def _with(body: str, kind: str, content: str) -> bytes:
    part = f"<w:{kind} {_SPACE}>{content}</w:{kind}>"
    return archive(word(body, ("r1", kind, f"{kind}.xml"), more={f"word/{kind}.xml": part}).items())


def _styles_in_a_circle() -> bytes:
    style = "<w:style w:type='paragraph' w:styleId='{}'><w:name w:val='{}'/><w:basedOn w:val='{}'/></w:style>"
    return _with(_STYLED, "styles", style.format("A", "a", "B") + style.format("B", "b", "A"))


def _note_in_itself() -> bytes:
    reference = "<w:p><w:r><w:t>Noted.</w:t><w:footnoteReference w:id='2'/></w:r></w:p>"
    return _with(reference, "footnotes", f"<w:footnote w:id='2'>{reference}</w:footnote>")


def _numbers_beyond() -> bytes:
    odd = "<w:lvl w:ilvl='x'/><w:lvl w:ilvl='999999999'><w:lvlText w:val='%1'/></w:lvl>"
    level = odd + "<w:lvl w:ilvl='0'><w:start w:val='{}'/><w:numFmt w:val='{}'/><w:lvlText w:val='%1%9%%'/></w:lvl>"
    abstract = "".join(
        f"<w:abstractNum w:abstractNumId='{n}'>{level.format(10**30, kind)}</w:abstractNum>"
        for n, kind in enumerate(["upperRoman", "lowerLetter", "decimal"])
    )
    links = "".join(f"<w:num w:numId='{n}'><w:abstractNumId w:val='{n - 1}'/></w:num>" for n in (1, 2, 3))
    body = "".join(_COUNTED.replace("numId w:val='1'", f"numId w:val='{n}'").format(0) for n in (1, 2, 3))
    return _with(
        body + _COUNTED.format(-1) + _COUNTED.format(999999999) + _COUNTED.format("x"),
        "numbering",
        abstract + links,
    )


def _odd_properties() -> bytes:
    parts = word()
    space = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
    parts["docProps/core.xml"] = (
        f"<cp:coreProperties xmlns:cp='{space}' xmlns:d='http://purl.org/dc/terms/'>"
        "<d:created>0000-99-99T99:99:99Z</d:created></cp:coreProperties>"
    )
    main = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    link = f"<Relationship Id='r9' Type='{main}' Target='docProps/core.xml'/></Relationships>"
    parts["_rels/.rels"] = str(parts["_rels/.rels"]).replace("</Relationships>", link)
    return archive(parts.items())


def _odd_spans() -> bytes:
    cell = "<w:tc><w:tcPr><w:gridSpan w:val='{}'/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
    rows = "".join(f"<w:tr>{cell.format(span) * 3}</w:tr>" for span in (-5, 0, "9" * 5_000, "x"))
    return archive(word(f"<w:tbl>{rows}</w:tbl>").items())


WORD_PARTS = [
    Nasty(name="styles-in-a-circle.docx", make=_styles_in_a_circle, says=f"(?s){SAID}.*Styled"),
    Nasty(name="note-in-itself.docx", make=_note_in_itself, says=f"(?s){SAID}.*Noted"),
    Nasty(name="numbers-beyond.docx", make=_numbers_beyond, says=f"(?s){SAID}.*One"),
    Nasty(name="odd-properties.docx", make=_odd_properties, says=SAID),
    Nasty(name="odd-spans.docx", make=_odd_spans, says=SAID),
]
