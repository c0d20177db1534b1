"""Text documents (ODT) that refer to other files, and endless numbers."""

from __future__ import annotations

from tests.readers.nasty.expected import SAID, SECRET, Nasty
from tests.readers.nasty.packages import archive


def _odt(before: str, body: str) -> bytes:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = f"xmlns:o='{urn}:office:1.0' xmlns:t='{urn}:text:1.0' xmlns:b='{urn}:table:1.0'"
    text = f"<o:body><o:text><t:p>{SAID}</t:p>{body}</o:text></o:body>"
    content = f"{before}<o:document-content {spaces}>{text}</o:document-content>"
    return archive([("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", content)])


def _entities() -> bytes:
    return _odt("<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>", "<t:p>&f;</t:p>")


def _late_entities() -> bytes:
    filler = f"<!--{' ' * 5_000}-->"
    return _odt(f"{filler}<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>", "<t:p>&f;</t:p>")


def _repeated_cells() -> bytes:
    cell = "<b:table-cell b:number-columns-repeated='999999999'><t:p>a</t:p></b:table-cell>"
    return _odt(
        "",
        f"<b:table>{('<b:table-row>' + cell + '</b:table-row>') * 300}</b:table><t:p><t:s t:c='999999999'/></t:p>",
    )


def _odd_counts() -> bytes:
    """Return a text with levels, spaces and cells as numbers with more digits than Python reads, and with endless
    nesting."""
    number = "9" * 5_000
    cell = f"<b:table-cell b:number-columns-repeated='{number}'><t:p>a</t:p></b:table-cell>"
    heads = "".join(f"<t:h t:outline-level='{level}'>Head</t:h>" for level in [number, *range(5_000)])
    return _odt("", f"{heads}<t:p><t:s t:c='{number}'/>b</t:p><b:table><b:table-row>{cell}</b:table-row></b:table>")


ODT = [
    Nasty(name="entities.odt", make=_entities, reason="entities.*refused", never=(SECRET,)),
    Nasty(name="late-entities.odt", make=_late_entities, reason="entities.*refused", never=(SECRET,)),
    Nasty(name="odd-counts.odt", make=_odd_counts, says=f"(?s){SAID}.*Head"),
    Nasty(name="repeated-cells.odt", make=_repeated_cells, says=SAID),
]
