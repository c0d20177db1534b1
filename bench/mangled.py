"""Read resaved or mangled documents: `python -m bench mangled [COUNT] [--seed N] [--keep FOLDER]`.

The bench reads each file of the development corpora in its original and in a mangled form, and compares the words. A
mangled file is `right` if its words and their order are those of the original (except for struck or stamped text),
`warned` if words or order differ and a warning reports a problem, and `silent` otherwise. The exit code is 1 if any
file is `silent`. PDFs are cut to their first pages to save time.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import io
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import cast

import anyio
import docx
import openpyxl
import pptx
import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject
from reportlab.pdfgen.canvas import Canvas

from bench.questions import corpora
from bench.tables import table
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.page_geometry import pdfium
from corpus.readers.protocol import ReadDocument
from corpus.readers.sandbox.pool import ReadingProcesses

MAX_PAGES = 3
MAX_LOST = 0.02
"""Maximum fraction of words that may differ. Words differ if, for example, a hyphen is joined at another line end or a
running header is detected."""
MIN_ORDER = 0.9
"""Minimum fraction of the pairs of neighbouring words that must remain neighbours."""
STAMP = "Received 4 May"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mangle:
    """A way to mangle a file. `work` writes a mangled copy and returns the words that it removed, or None if the file
    is unsuitable."""

    name: str
    suffixes: frozenset[str]
    work: Callable[[Path, Path, Random], Words | None]


def words_of(text: str) -> Words:
    return tuple(re.findall(r"[^\W_]{2,}", text.casefold()))


def _saved(writer: pypdf.PdfWriter, target: Path) -> Words:
    writer.write(target)
    return ()


def _writer(source: Path) -> pypdf.PdfWriter:
    return pypdf.PdfWriter(clone_from=source)


def turned_page(source: Path, target: Path, random: Random) -> Words:
    writer = _writer(source)
    for page in writer.pages:
        page.rotate(random.choice([90, 180, 270]))
    return _saved(writer, target)


def turned_content(source: Path, target: Path, random: Random) -> Words:
    """Rotate the content itself, without declaring the rotation in the page's entries."""
    writer, degrees = _writer(source), random.choice([90, 180, 270])
    for page in writer.pages:
        page.rotate(degrees)
        page.transfer_rotation_to_content()
    return _saved(writer, target)


def saved_again(source: Path, target: Path, random: Random) -> Words:
    writer = _writer(source)
    for page in writer.pages:
        page.compress_content_streams()
    writer.compress_identical_objects()
    return _saved(writer, target)


def locked(source: Path, target: Path, random: Random) -> Words:
    """Protect the file against changes with a password."""
    writer = _writer(source)
    writer.encrypt("", owner_password="owner", algorithm="AES-256")
    return _saved(writer, target)


def _fonts(writer: pypdf.PdfWriter) -> Iterator[DictionaryObject]:
    for reference in writer._objects:
        found = reference.get_object() if reference is not None else None
        if isinstance(found, DictionaryObject) and found.get("/Type") == "/Font":
            yield found


def font_maps_gone(source: Path, target: Path, random: Random) -> Words | None:
    writer = _writer(source)
    fonts = [font for font in _fonts(writer) if "/ToUnicode" in font]
    for font in fonts:
        del font["/ToUnicode"]
        if font.get("/Subtype") != "/Type0":
            font.pop("/Encoding", None)
    return _saved(writer, target) if fonts else None


def _with_map(source: Path, target: Path, change: Callable[[int], int]) -> Words | None:
    """Change each letter in the fonts' character maps."""
    writer = _writer(source)
    changed = False
    for font in _fonts(writer):
        if "/ToUnicode" not in font:
            continue
        text = cast(StreamObject, font["/ToUnicode"].get_object()).get_data().decode("latin-1")
        mapped = _changed_map(text, change)
        stream = DecodedStreamObject()
        stream.set_data(mapped.encode("latin-1"))
        font[NameObject("/ToUnicode")] = writer._add_object(stream)
        changed |= mapped != text
    return _saved(writer, target) if changed else None


def _changed_map(text: str, change: Callable[[int], int]) -> str:
    def hexadecimal(found: re.Match[str]) -> str:
        code = int(found[2], 16)
        return f"{found[1]}<{change(code):04X}>" if chr(code).isalpha() else found[0]

    def section(found: re.Match[str]) -> str:
        # The character is the last of a line's two or three numbers.
        return re.sub(r"((?:<[0-9A-Fa-f]+>\s*){1,2})<([0-9A-Fa-f]{4})>", hexadecimal, found[0])

    return re.sub(r"beginbf(?:char|range).*?endbf(?:char|range)", section, text, flags=re.DOTALL)


def cipher(source: Path, target: Path, random: Random) -> Words | None:
    def shifted(code: int) -> int:
        for first, last in ((0x41, 0x5A), (0x61, 0x7A)):
            if first <= code <= last:
                return first + (code - first + 9) % 26
        return code

    return _with_map(source, target, shifted)


def private_letters(source: Path, target: Path, random: Random) -> Words | None:
    return _with_map(source, target, lambda code: 0xE000 + code % 0x1000)


def _stamp(width: float, height: float) -> pypdf.PageObject:
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(width, height))
    canvas.setFont("Helvetica", 9)
    canvas.drawString(20, 12, STAMP)
    canvas.save()
    return pypdf.PdfReader(data).pages[0]


def stamped(source: Path, target: Path, random: Random) -> Words:
    writer = _writer(source)
    for page in writer.pages:
        page.merge_page(_stamp(float(page.mediabox.width), float(page.mediabox.height)))
    return _saved(writer, target)


def pictured(source: Path, target: Path, random: Random) -> Words:
    """Replace pages with pictures without text; stamp text over every second page."""
    with pdfium.PdfDocument(source) as document:
        canvas = Canvas(str(target))
        stamps = random.random() < 0.5
        for page in document:
            size = page.get_size()
            canvas.setPageSize(size)
            canvas.drawInlineImage(page.render(scale=1.5).to_pil().convert("L"), 0, 0, *size)
            if stamps:
                canvas.drawString(20, 12, STAMP)
            canvas.showPage()
        canvas.save()
    return ()


def encoded(encoding: str) -> Callable[[Path, Path, Random], Words | None]:
    def work(source: Path, target: Path, random: Random) -> Words | None:
        text = source.read_text(encoding="utf-8")
        text = re.sub(r"<meta[^>]*charset[^>]*>", "", text) if source.suffix == ".html" else text
        try:
            target.write_bytes(text.encode(encoding))
        except UnicodeEncodeError:
            return None
        return None if text.isascii() and encoding not in ("utf-16", "utf-16-le") else ()

    return work


def other_line_ends(source: Path, target: Path, random: Random) -> Words:
    text = source.read_bytes().replace(b"\r\n", b"\n")
    target.write_bytes(text.replace(b"\n", random.choice([b"\r\n", b"\r"])))
    return ()


def mail_without_charset(source: Path, target: Path, random: Random) -> Words | None:
    message = email.message_from_bytes(source.read_bytes(), policy=email.policy.default)
    if message.is_multipart() or message.get_content_type() != "text/plain":
        return None
    body = message.get_content()
    heads = [f"{name}: {message[name]}" for name in ("From", "To", "Subject", "Date") if message[name]]
    target.write_bytes(("\n".join(heads) + "\n\n" + body).encode("utf-8"))
    return ()


def word_saved_again(source: Path, target: Path, random: Random) -> Words:
    docx.Document(str(source)).save(str(target))
    return ()


def word_struck(source: Path, target: Path, random: Random) -> Words | None:
    document = docx.Document(str(source))
    runs = [run for paragraph in document.paragraphs for run in paragraph.runs if len(run.text.split()) > 2]
    struck = random.sample(runs, min(3, len(runs)))
    for run in struck:
        run.font.strike = True
    document.save(str(target))
    return tuple(word for run in struck for word in words_of(run.text)) or None


def word_commented(source: Path, target: Path, random: Random) -> Words | None:
    document = docx.Document(str(source))
    runs = [run for paragraph in document.paragraphs for run in paragraph.runs if run.text.strip()]
    if not runs:
        return None
    document.add_comment(random.choice(runs), text="Please verify this zorkmid.", author="Ann")
    document.save(str(target))
    return ()


def slides_saved_again(source: Path, target: Path, random: Random) -> Words:
    """Save with the shapes of each slide in a different order."""
    deck = pptx.Presentation(str(source))
    for slide in deck.slides:
        tree = slide.shapes._spTree
        shapes = [shape._element for shape in slide.shapes]
        random.shuffle(shapes)
        for shape in shapes:
            tree.remove(shape)
            tree.append(shape)
    deck.save(str(target))
    return ()


def sheet_saved_again(source: Path, target: Path, random: Random) -> Words:
    """Save with a library that preserves formulas but drops their values."""
    openpyxl.load_workbook(source).save(target)
    return ()


PDF, TEXT = frozenset({".pdf"}), frozenset({".md", ".txt", ".csv", ".html"})
WORD, SLIDES, SHEET = frozenset({".docx"}), frozenset({".pptx"}), frozenset({".xlsx"})
ENCODINGS = (
    "utf-16",
    "utf-16-le",
    "utf-8-sig",
    "cp1252",
    "cp1250",
    "mac_roman",
    "cp850",
    "iso8859_15",
    "shift_jis",
)

MANGLES = (
    Mangle("page turned", PDF, turned_page),
    Mangle("content turned", PDF, turned_content),
    Mangle("saved again", PDF, saved_again),
    Mangle("locked against changes", PDF, locked),
    Mangle("font maps taken out", PDF, font_maps_gone),
    Mangle("font maps are a cipher", PDF, cipher),
    Mangle("font maps give private letters", PDF, private_letters),
    Mangle("stamped", PDF, stamped),
    Mangle("pages as pictures", PDF, pictured),
    *(Mangle(f"written in {encoding}", TEXT, encoded(encoding)) for encoding in ENCODINGS),
    Mangle("other line ends", TEXT, other_line_ends),
    Mangle("mail without charset", frozenset({".eml"}), mail_without_charset),
    Mangle("Word saved again", WORD, word_saved_again),
    Mangle("Word with struck text", WORD, word_struck),
    Mangle("Word with a comment", WORD, word_commented),
    Mangle("slides in another order", SLIDES, slides_saved_again),
    Mangle("workbook saved again", SHEET, sheet_saved_again),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial. `lost` is the fraction of words that are missing, and `order` the fraction of neighbouring
    pairs that are missing."""

    mangle: str
    file: str
    verdict: str
    lost: float
    order: float
    warnings: tuple[str, ...]


def text_of(read: ReadDocument) -> str:
    return "\n".join(part for block in read.blocks if block.block_type == "text" for part in (block.content,) if part)


def judged(mangle: str, file: str, before: ReadDocument, after: ReadDocument | str, out: Words) -> Trial:
    """Judge a trial. If the file could not be read, `after` is the reason."""
    if isinstance(after, str):
        return Trial(mangle, file, "warned", 1.0, 1.0, (after,))
    expected = Counter(words_of(text_of(before)))
    expected.subtract(Counter(out))
    wanted = +expected
    got = words_of(text_of(after))
    lost = (wanted - Counter(got)).total() / max(wanted.total(), 1)
    pairs = Counter(_pairs(words_of(text_of(before))))
    order = (pairs - Counter(_pairs(got))).total() / max(pairs.total(), 1)
    news = tuple(warning for warning in after.warnings if warning not in before.warnings)
    says = bool(news or after.pending)
    is_right = lost <= MAX_LOST and (order <= 1 - MIN_ORDER or bool(out)) and (says or not out)
    return Trial(mangle, file, "right" if is_right else "warned" if says else "silent", lost, order, news)


def _pairs(words: Words) -> list[tuple[str, str]]:
    return list(pairwise(words))


def sources(folder: Path, into: Path) -> list[Path]:
    """Return the files that can be mangled, in which PDFs are cut to their first pages."""
    suffixes = frozenset[str]().union(*(mangle.suffixes for mangle in MANGLES))
    names = ("northwind", "papers", "manuals", "gov", "finreport", "office", "mixed")
    found = sorted(path for name in names for path in (folder / name).rglob("*") if path.suffix.lower() in suffixes)
    return [_beginning(path, into) for path in found if path.name not in ("SOURCE.md", "README.md")]


def _beginning(path: Path, into: Path) -> Path:
    target = into / f"{path.parent.name}-{path.name}"
    if path.suffix.lower() != ".pdf":
        return Path(shutil.copy(path, target))
    reader, writer = pypdf.PdfReader(path), pypdf.PdfWriter()
    for page in reader.pages[:MAX_PAGES]:
        writer.add_page(page)
    writer.write(target)
    return target


async def trials(folder: Path, count: int, seed: int, into: Path) -> list[Trial]:
    """Run `count` trials, each with a random mangle and file. The same seed results in the same trials."""
    random, done = Random(seed), list[Trial]()
    for name in ("sources", "mangled"):
        (into / name).mkdir()
    files = sources(folder, into / "sources")
    read: dict[Path, ReadDocument] = {}
    choices = [(mangle, file) for mangle in MANGLES for file in files if file.suffix.lower() in mangle.suffixes]
    # Each mangle is equally likely, regardless of how many files are suitable for it.
    weights = [1 / sum(1 for mangle, _ in choices if mangle is each) for each, _ in choices]
    async with ReadingProcesses(count=2) as reading:
        while len(done) < count and choices:
            place = random.choices(range(len(choices)), weights)[0]
            mangle, file = choices.pop(place)
            weights.pop(place)
            target = into / "mangled" / f"{len(done):03}-{file.name}"
            if (out := mangle.work(file, target, random)) is None:
                target.unlink(missing_ok=True)
                continue
            if file not in read:
                read[file] = await reading.read(file)
            try:
                after: ReadDocument | str = await reading.read(target)
            except UnreadableDocument as reason:
                after = str(reason)
            done.append(judged(mangle.name, target.name, read[file], after, out))
    return done


def report(done: Sequence[Trial]) -> str:
    rows = []
    for name in dict.fromkeys(mangle.name for mangle in MANGLES):
        own = Counter(trial.verdict for trial in done if trial.mangle == name)
        if own:
            rows.append([name, *(str(own[verdict]) for verdict in ("right", "warned", "silent"))])
    total = Counter(trial.verdict for trial in done)
    rows.append(["all", *(str(total[verdict]) for verdict in ("right", "warned", "silent"))])
    return table(["mangle", "right", "warned", "silent"], rows)


def main() -> None:
    """Run the trials, and exit with code 1 if something was lost silently."""
    options = argparse.ArgumentParser(prog="python -m bench mangled", description=__doc__)
    options.add_argument("count", nargs="?", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=Path, help="a folder that is not there yet, for the mangled files")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        into = given.keep or Path(scratch)
        into.mkdir(parents=True, exist_ok=True)
        done = anyio.run(trials, corpora(), given.count, given.seed, into)
    print(report(done))
    for trial in done:
        if trial.verdict == "silent":
            print(f"silent: {trial.file} ({trial.mangle}): lost {trial.lost:.1%}, order {trial.order:.1%}")
    sys.exit(any(trial.verdict == "silent" for trial in done))


if __name__ == "__main__":
    main()
