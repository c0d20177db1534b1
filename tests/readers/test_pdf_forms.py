"""Forms in PDFs: values next to their labels, checked boxes, comments after their text, and no struck-through text."""

from __future__ import annotations

from pathlib import Path

import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, by_hand, drawn, lines


def texts(path: Path, read: Read) -> list[str]:
    _, blocks = read(path)
    assert {block.block_type for block in blocks} <= {"text"}
    return "\n".join(block.content for block in blocks).split("\n")


def test_values_come_after_their_labels(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        for label, value, left in (("Name:", "Anna Berger", 72), ("Date:", "9 June 2021", 260)):
            canvas.drawString(left, HEIGHT - 100, label)
            canvas.acroForm.textfield(name=label, value=value, x=left + 45, y=HEIGHT - 106, width=120, height=18)
        canvas.drawString(72, HEIGHT - 130, "Harbour")
        options = ["Ebensee", "Gmunden"]
        canvas.acroForm.choice(name="h", value="Gmunden", options=options, x=160, y=HEIGHT - 136, width=120, height=18)
        canvas.drawString(72, HEIGHT - 160, "Left empty:")
        canvas.acroForm.textfield(name="e", value="", x=160, y=HEIGHT - 166, width=120, height=18)

    path = drawn(tmp_path / "a.pdf", form)
    assert texts(path, read) == ["Name: Anna Berger", "Date: 9 June 2021", "Harbour Gmunden", "Left empty:"]
    _, blocks = read(path)
    assert [block.content[line.start : line.end].strip() for block in blocks for line in block.lines] == [
        *("Name:", "Anna Berger", "Date:", "9 June 2021", "Harbour", "Gmunden", "Left empty:")
    ]


def test_values_come_below_labels_above_their_fields(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        for label, value, left in (("Family name", "Berger", 72), ("First name", "Anna", 272)):
            canvas.drawString(left, HEIGHT - 100, label)
            canvas.acroForm.textfield(name=label, value=value, x=left, y=HEIGHT - 124, width=160, height=18)

    assert texts(drawn(tmp_path / "a.pdf", form), read) == ["Family name", "Berger", "First name", "Anna"]


def test_boxes_report_whether_they_are_checked(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        canvas.drawString(72, HEIGHT - 100, "Insured:")
        canvas.acroForm.checkbox(name="i", checked=True, x=160, y=HEIGHT - 104, size=14)
        for number, (kind, checked) in enumerate((("Sailing", False), ("Rowing", True))):
            canvas.acroForm.checkbox(name=kind, checked=checked, x=72 + 90 * number, y=HEIGHT - 134, size=14)
            canvas.drawString(92 + 90 * number, HEIGHT - 130, kind)
        for number, (kind, chosen) in enumerate((("cash", False), ("card", True))):
            canvas.acroForm.radio(name="pay", value=kind, selected=chosen, x=72 + 90 * number, y=HEIGHT - 164, size=14)
            canvas.drawString(92 + 90 * number, HEIGHT - 160, kind)

    ticks = ["Insured: [x]", "[ ] Sailing", "[x] Rowing", "[ ] cash", "[x] card"]
    assert texts(drawn(tmp_path / "a.pdf", form), read) == ticks


def test_check_marks_are_in_the_cells_of_a_ruled_form(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        sides, levels = [72, 200, 330, 400], [HEIGHT - 100 - 22 * n for n in range(4)]
        canvas.grid(sides, levels)
        for left, head in zip(sides, ("Boat", "Owner", "Insured"), strict=False):
            canvas.drawString(left + 4, levels[0] - 16, head)
        for row, (boat, owner, insured) in enumerate((("Gull", "Anna", True), ("Tern", "Emil", False)), 1):
            canvas.drawString(sides[0] + 4, levels[row] - 16, boat)
            canvas.acroForm.textfield(name=boat, value=owner, x=sides[1] + 2, y=levels[row] - 20, width=120, height=18)
            canvas.acroForm.checkbox(name=owner, checked=insured, x=sides[2] + 20, y=levels[row] - 18, size=14)

    _, blocks = read(drawn(tmp_path / "a.pdf", form))
    assert blocks[0].content.splitlines()[2:] == ["| Gull | Anna | [x] |", "| Tern | Emil | [ ] |"]


PAGE = (
    b"BT /F1 12 Tf 72 700 Td 14 TL (The pump is opened every three months.) Tj T* "
    b"(Its oil costs 40 euros a litre.) Tj T* (The valve is closed by hand.) Tj T* T* (The hatch is locked.) Tj ET"
)


def annotations(*written: str) -> bytes:
    return b"/Annots [ %s ]" % b" ".join(b"<< /Type /Annot %s >>" % each.encode() for each in written)


def test_comments_come_after_the_text_that_they_refer_to(tmp_path: Path, read: Read) -> None:
    notes = annotations(
        "/Subtype /Text /Rect [400 695 420 715] /Contents (Check this, please.) /T (Jane Kim)",
        "/Subtype /Highlight /Rect [72 683 300 698] /Contents (With tax?)",
        "/Subtype /Text /Rect [400 640 420 656] /Contents (By whom?)",
        "/Subtype /Text /F 2 /Rect [400 695 420 715] /Contents (Nobody sees this.) /T (X)",
    )
    assert texts(by_hand(tmp_path / "a.pdf", PAGE, notes), read) == [
        "The pump is opened every three months. Its oil costs 40 euros a litre.",
        "The valve is closed by hand.",
        "Comment (Jane Kim): Check this, please.",
        "Comment: With tax?",
        "The hatch is locked.",
        "Comment: By whom?",
    ]


def test_text_struck_out_and_stamps_without_text_are_counted(tmp_path: Path, read: Read) -> None:
    marks = annotations(
        "/Subtype /StrikeOut /Rect [72 669 300 684] /QuadPoints [72 682 300 682 72 669 300 669] /T (Emil)",
        "/Subtype /Stamp /Rect [300 500 420 515] /Name /Approved",
    )
    document, blocks = read(by_hand(tmp_path / "a.pdf", PAGE, marks))
    assert "valve" not in "".join(block.content for block in blocks)
    assert document.warnings == ("Left out: 1 stamp, 1 struck passage.",)


def test_hidden_fields_are_left_out(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        for name, flags, top in (("seen", "print", 100), ("unseen", "hidden", 140)):
            canvas.acroForm.textfield(
                name=name,
                value=f"{name} value",
                x=200,
                y=HEIGHT - top,
                width=200,
                height=20,
                annotationFlags=flags,
            )
            canvas.acroForm.checkbox(
                name=f"{name} box", checked=True, x=420, y=HEIGHT - top, size=14, annotationFlags=flags
            )

    page = both(lines("First:", top=95), lines("Second:", top=135), form)
    assert texts(drawn(tmp_path / "a.pdf", page), read) == ["First: seen value [x]", "Second:"]


def test_a_field_too_small_to_be_seen_is_left_out(tmp_path: Path, read: Read) -> None:
    def form(canvas: Canvas) -> None:
        canvas.drawString(72, HEIGHT - 100, "Insured:")
        canvas.acroForm.checkbox(name="i", checked=True, x=160, y=HEIGHT - 100, size=3)

    assert texts(drawn(tmp_path / "a.pdf", form), read) == ["Insured:"]


def test_a_comment_on_a_table_is_outside_it_and_not_lost(tmp_path: Path, read: Read) -> None:
    grid = b"".join(
        [b"72 %d m 372 %d l S " % (y, y) for y in (640, 660, 680, 700)]
        + [b"%d 640 m %d 700 l S " % (x, x) for x in (72, 172, 272, 372)]
        + [
            b"BT /F1 10 Tf %d %d Td (%s) Tj ET " % (76 + 100 * column, 686 - 20 * row, text)
            for row, cells in enumerate((b"Boat Cars Year", b"Anna 90 1961", b"Tern 4 1974"))
            for column, text in enumerate(cells.split())
        ]
    )  # fmt: skip
    note = annotations("/Subtype /Text /Rect [180 664 196 676] /Contents (Is that so?) /T (Jane Kim)")
    _, blocks = read(by_hand(tmp_path / "a.pdf", grid, note))
    contents = [block.content for block in blocks if block.block_type == "text"]
    assert contents[0].splitlines()[2] == "| Anna | 90 | 1961 |"
    assert "Comment (Jane Kim): Is that so?" in contents


def test_a_form_in_xml_alone_is_reported(tmp_path: Path, read: Read) -> None:
    writer = pypdf.PdfWriter(clone_from=drawn(tmp_path / "plain.pdf", lines("Please wait while the form opens.")))
    xml = DecodedStreamObject()
    xml.set_data(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'/>")
    writer.root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/XFA"): writer._add_object(xml)})
    writer.write(tmp_path / "a.pdf")
    document, _ = read(tmp_path / "a.pdf")
    assert document.warnings == ("Left out: 1 XFA form.",)


def combed(text: str, left: float, top: float, *, step: float = 16, ruled: bool = True) -> Draw:
    """Draw one character per box, as on printed forms."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Courier", 12)
        for place, letter in enumerate(text):
            if ruled:
                canvas.rect(left + place * step, HEIGHT - top - 6, step, 20)
            canvas.drawCentredString(left + place * step + step / 2, HEIGHT - top, letter)

    return draw


def test_single_digits_without_boxes_and_in_tables_stay_separate(tmp_path: Path, read: Read) -> None:
    def written(name: str, *parts: Draw) -> str:
        _, blocks = read(drawn(tmp_path / name, both(*parts)))
        return "\n".join(block.content for block in blocks)

    assert "31415926" not in written("a.pdf", combed("31415926", 140, 100, ruled=False))
    rows = [combed(digits, 140, 100 + 20 * row) for row, digits in enumerate(("31415926", "27182818", "14142135"))]
    text = written("b.pdf", *rows)
    assert not any(digits in text for digits in ("31415926", "27182818", "14142135"))
    assert "31415926" not in written("c.pdf", combed("31415926", 60, 100, step=40))
