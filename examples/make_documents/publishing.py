"""Lay a manuscript out as a PDF with metadata, outline, page labels, running header and printed page numbers."""

from pathlib import Path

import front
import styles
from contents import contents
from flowables import flowables_for
from manuscript import Break, Heading, Manuscript
from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
)

ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii")


def publish(manuscript: Manuscript, target: Path) -> None:
    """Write `manuscript` to `target`; a second call writes the same bytes."""
    publication = Publication(manuscript, target)
    publication.multiBuild(publication.story())


class Publication(BaseDocTemplate):
    """A document; a manual's pages before its first numbered chapter are front matter with roman numbers."""

    def __init__(self, manuscript: Manuscript, target: Path) -> None:
        about = manuscript.about
        super().__init__(
            str(target),
            pagesize=(styles.PAGE_WIDTH, styles.PAGE_HEIGHT),
            title=about["title"],
            author=about["author"],
            subject=about["department"],
            creator=about["publisher"],
            lang=about["language"],
            invariant=1,
            pageCompression=0,  # what zlib makes differs from machine to machine
        )
        self.manuscript = manuscript
        self.about = about
        self.accent = HexColor(int(about["accent"], 16))
        self.is_manual = about["layout"] == "manual"
        self.front_pages = 0
        self.chapter = ""
        self.headings = 0
        self.addPageTemplates(
            [
                PageTemplate("First", [_frame(top=230)], onPage=self._draw_first_page, onPageEnd=self._draw_footer),
                PageTemplate("Later", [_frame(top=92)], onPageEnd=self._draw_header_and_footer),
            ]
        )

    def story(self) -> list[Flowable]:
        story: list[Flowable] = [NextPageTemplate("Later")]
        if self.is_manual:
            story += [PageBreak(), *contents(self.accent, self._label)]
        for block in self.manuscript.blocks:
            if self.is_manual and isinstance(block, Heading) and block.level == 1:
                story += flowables_for(Break(), self.accent)
            story += flowables_for(block, self.accent)
        return story

    def beforeDocument(self) -> None:  # noqa: N802, the name is reportlab's
        date = self.about["date"].replace("-", "")
        self.headings = 0
        self.canv.setDateFormatter(lambda *_: f"D:{date}090000Z")
        if self.front_pages:
            self.canv.addPageLabel(0, style="ROMAN_LOWER", start=1)
            self.canv.addPageLabel(self.front_pages, style="ARABIC", start=1)

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802, the name is reportlab's
        if isinstance(flowable, Paragraph):
            kind, text = flowable.style.name, flowable.getPlainText()
            if kind.startswith("Heading"):
                self._enter(int(kind[-1]), text)
            elif kind in ("Caption", "TableCaption"):
                self.notify(kind, (1, text, self.page, None))

    def _enter(self, level: int, text: str) -> None:
        self.headings += 1
        key = f"heading-{self.headings}"
        if level == 1:
            self.chapter = text
        if text.startswith("1 ") and self.is_manual:
            self.front_pages = self.page - 1
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level - 1, closed=level > 1)
        if level < 3 and text not in ("Contents", "Figures", "Tables"):
            self.notify("TOCEntry", (level - 1, text, self.page, key))

    def _label(self, page: int) -> str:
        return ROMAN[page] if page <= self.front_pages else str(page - self.front_pages)

    def _draw_first_page(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        (front.draw_cover if self.is_manual else front.draw_title_block)(canvas, self.about, self.accent)

    def _draw_header_and_footer(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        right = self.chapter if self.is_manual else self.about["department"]
        front.draw_header(canvas, self.about["running"], right)
        self._draw_footer(canvas, self)

    def _draw_footer(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        if not (self.is_manual and self.page == 1):
            front.draw_footer(canvas, self.about["footer"], self._label(self.page))


def _frame(top: float) -> Frame:
    bottom = 72
    height = styles.PAGE_HEIGHT - top - bottom
    return Frame(styles.MARGIN, bottom, styles.TEXT_WIDTH, height, 0, 0, 0, 0)
