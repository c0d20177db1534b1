"""Read an answer: its claims, the sources of each, and all its citations.

A sentence is a claim if it states something that a source could support.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.citing.protocol import Citable, CitedAnswer, Claim, ClaimKind
from corpus.citing.rendered_text import InlineScanner, PlacedMarker, RenderedText, render
from corpus.citing.source_lookup import MarkerSources, SourceBook, union
from corpus.citing.structure import Block, BlockKind, blocks_of
from corpus.readers.languages import language_of
from corpus.text.sentences import sentences

_QUESTION = re.compile(r"[?？؟][\"'»”“’)\]*_\s]*\Z")
_LEAD_IN = re.compile(r"[:：][\"'»”*_\s]*\Z")
_SOURCES = r"(?:the |any of the |your )?(?:provided |given |available |cited )?(?:sources|documents)"
_QUELLEN = r"den (?:\w{1,30} )?(?:Quellen|Dokumenten)"
_NOT_FOUND = re.compile(
    r"(?:(?:I'm |I am )?sorry,? ?(?:but )?)?"
    r"(?:(?:the |this |that )?(?:answer |information |it |this |that )?(?:was |is |were |could )?"
    rf"not (?:be )?(?:found|contained) in {_SOURCES}"
    r"|(?:I )?(?:could(?: not|n['’]t)|did(?: not|n['’]t)|can(?:not|['’]t)) find (?:any )?(?:relevant )?information "
    r"(?:about|on|regarding) [^.!?\n]{1,200}"
    rf"|no relevant (?:information|sources|documents) (?:was |were )?found(?: in {_SOURCES})?"
    rf"|(?:das |dies )?(?:ist |wurde |steht )?in {_QUELLEN} nicht (?:gefunden|enthalten)"
    rf"|(?:das |dies )?(?:ist |wurde |steht )?nicht in {_QUELLEN}(?: gefunden| enthalten)?"
    r"|(?:es wurden )?keine (?:relevanten |passenden )?(?:informationen|angaben|quellen)(?: dazu)?"
    rf"(?: in {_QUELLEN})? gefunden"
    r"|(?:information )?(?:non trouvée?|introuvable) dans les (?:sources|documents)"
    r"|no (?:se (?:encontró|ha encontrado)|encontrado) en las fuentes"
    r"|non trovato nelle fonti|niet gevonden in de bronnen|在?(?:来源|资料)中未找到(?:相关信息)?)",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"Note: this answer rests on limited evidence\.|Please check it against further sources\."
    r"|Your documents may not answer this question\.|What follows comes nearest\."
    r"|Vielleicht beantworten die Dokumente diese Frage nicht\.|Was folgt, kommt ihr am nächsten\."
    r"|Your documents do not seem to answer this question\."
    r"|Nichts in den Dokumenten scheint diese Frage zu beantworten\."
    r"|Nothing in what was found mentions “[^”\n]{1,60}”(?:, “[^”\n]{1,60}”){0,2}\."
    r"|Nichts, was gefunden wurde, erwähnt „[^“\n]{1,60}“(?:, „[^“\n]{1,60}“){0,2}\."
)
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?=\S)(?P<title>[^\n]{1,200}?)\1\s*")
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'»”“’)\]]*\s*\Z")
_LETTER = re.compile(r"[^\W_]")


def is_claim(text: str, *, cited: bool) -> bool:
    """Return whether a rendered sentence states something. Questions and lead-ins to lists do not state anything."""
    if not _LETTER.search(text) or _QUESTION.search(text):
        return False
    if _LEAD_IN.search(text) and not cited:
        return False
    return not (says_not_found(text) or _NOTICE.fullmatch(text))


def says_not_found(text: str) -> bool:
    """Return whether a text only reports that the sources contain no answer."""
    return _NOT_FOUND.fullmatch(text.strip(" .!。*_\"'\n")) is not None


def is_title(raw: str) -> bool:
    """Return whether a paragraph is a bold heading, that is, a single line that is not a sentence."""
    match = _BOLD_LINE.fullmatch(raw)
    return match is not None and not re.search(r"\*\*|__", match["title"]) and not _SENTENCE_END.search(match["title"])


_TITLE = re.compile(
    r"[\s#*_]*(?:\d+[.)]\s+)?(?:list of )?(?:all )?(?:cited |used |verwendete |zitierte )?"
    r"(?:sources?(?: (?:used|cited))?|references?|bibliography|"
    r"works cited|citations?|footnotes?|quellen|quelle|quellenverzeichnis|quellenangaben?|quellennachweise?|"
    r"literatur|literaturverzeichnis|referenzen|belege|nachweise|fußnoten|einzelnachweise|références|bibliographie|"
    r"fuentes|referencias|bibliografía|fonti|riferimenti|bronnen|referenties|fontes|referências|źródła|"
    r"источники|литература|参考文献|参考资料|来源|資料來源|出典|資料|المصادر|المراجع)[\s*_]*+[:：]?[\s*_]*+",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"[\s*_]*(?:sources|references|quellen|fuentes|fonti|bronnen|références)[\s*_]*[:：][\s*_]*(?=\S)",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"\s*(?:[-*+•]\s+)?(?:[*_]{0,2}(?:\[\^?\d{1,9}\^?\]|【\d{1,9}[^】\n]{0,40}】|［\d{1,9}］)[*_]{0,2}:?"
    r"|\^?\d{1,9}[.):]\s|\(\d{1,3}\)\s|[¹²³⁴-⁹⁰]{1,3}\s?|<sup>\d{1,3}</sup>|https?://|\*?[\[(]Source:)"
)
_BARE_SOURCE = re.compile(
    r"\s*(?:\[\^?\d{1,9}\^?\]:?\s+|[¹²³⁴-⁹⁰]{1,3}\s?)(?:[*_`\"„“(\[]*(?:Source:|Quelle:)|https?://|[*_`\"\[<]{0,9}[^\n]{1,160}?\.[A-Za-z][A-Za-z0-9]{1,4}\b"
    r"(?:[`\"*_)\]]*\s*(?:$|[,:;(–—-])))"
)
_FILE = re.compile(
    r"[\s*_`\"'„“(\[<]*+(?:(?:Source|Quelle):\s*)?(?:[^\s.]+\s+){0,4}[^\s]*[^\s.]\.[A-Za-z][A-Za-z0-9]{1,4}(?!\w)"
    r"|[\s*_<]*(?:\[[^\[\]\n]{1,200}\]\()?https?://"
)
"""Pattern for a file name of at most five words, or an address, at the start of a line."""
_NUMBERED_ROW = re.compile(r"\|?\s*\[?\^?\d{1,9}\^?\]?\s*\|")
_PUBLISHED = re.compile(r"\((?:1[5-9]|20)\d\d[a-z]?\)|,\s(?:1[5-9]|20)\d\d\.?\s*$")
"""Pattern for a year of publication as in a bibliography."""
_NUMBER_BEFORE = re.compile(r"\d[.)]\s+(?:\[[ xX]\]\s+)?\Z")
_FULL_STOP = re.compile(r"[.!?…。！？][\"'»”“’)\]*_]*\s*\Z")


def without_references(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, turning the lines of a source list into entries. Statements below the title of a source list
    remain claims."""
    listing, section = False, False
    for block in blocks:
        if block.kind == "heading":
            listing = section = _is_title(text, *block.pieces[0])
            yield block
        elif block.kind not in ("paragraph", "item"):
            listing = section or (listing and block.kind in ("entry", "other"))
            yield Block("entry", block.pieces) if section and _is_entry(text, block) else block
        elif section:
            yield from _entries(text, block, 0)
        elif listing and _is_entry(text, block):
            yield Block("entry", block.pieces)
        else:
            parts = list(_split_list(text, block))
            listing = any(part.kind == "entry" for part in parts)
            yield from parts


def _is_title(text: str, start: int, end: int) -> bool:
    return bool(_TITLE.fullmatch(text, start, end))


def _split_list(text: str, block: Block) -> Iterator[Block]:
    """Yield the lines of a block before a source list, then the lines of the list."""
    pieces = block.pieces
    for n, (start, end) in enumerate(pieces):
        titled = _TITLED.match(text, start, end)
        if _is_title(text, start, end) or (titled and _names_a_source(text[titled.end() : end])):
            if n:
                yield Block(block.kind, pieces[:n])
            yield Block("entry", pieces[n : n + 1])
            yield from _entries(text, block, n + 1)
            return
    is_list = all(_BARE_SOURCE.match(text[start:end]) for start, end in pieces)
    yield Block("entry", pieces) if is_list else block


def _entries(text: str, block: Block, first: int) -> Iterator[Block]:
    """Yield the lines from `first` onwards, grouped into entries and other lines."""
    if not first and block.kind == "item":
        yield Block("entry", block.pieces) if _is_entry(text, block) else block
        return
    parts: list[Block] = []
    for start, end in block.pieces[first:]:
        goes_on = parts and parts[-1].kind == "entry" and not _FULL_STOP.search(text[start:end])
        kind = "entry" if goes_on or _names_a_source(text[start:end]) else block.kind
        if not parts or parts[-1].kind != kind:
            parts.append(Block(kind))
        parts[-1].pieces.append((start, end))
    yield from parts


def _is_entry(text: str, block: Block) -> bool:
    """Return whether the entire block belongs to a source list. A list item also qualifies if it is numbered or is not
    a sentence."""
    start, end = block.pieces[0]
    if block.kind in ("entry", "other", "head"):
        return True
    if block.kind == "row":
        return bool(_NUMBERED_ROW.match(text, start, end)) or _names_a_source(text[start:end].lstrip("| "))
    if block.kind == "item":
        is_numbered = _NUMBER_BEFORE.search(text[max(0, start - 16) : start])
        is_sentence = _FULL_STOP.search(text[slice(*block.pieces[-1])])
        return bool(is_numbered) or not is_sentence or _names_a_source(text[start:end])
    return all(_names_a_source(text[slice(*piece)]) for piece in block.pieces)


def _names_a_source(line: str) -> bool:
    """Return whether a line begins with a number, file or address, or contains a year of publication."""
    return any(form.match(line) for form in (_ENTRY, _FILE)) or bool(_PUBLISHED.search(line))


_EMPTY = re.compile(
    r"(?<!\s)\s*+[(\[（]\s*+(?:(?:see|see also|siehe|vgl\.|cf\.|s\.|source|quelle)\s*+:?)?\s*+[,;]?\s*+[)\]）]",
    re.IGNORECASE,
)


def wording(text: str) -> str:
    """Return the text on one line, without empty brackets."""
    return " ".join(_EMPTY.sub("", text).split())


_KINDS: dict[BlockKind, ClaimKind] = {"paragraph": "sentence", "item": "item", "row": "row"}
_MAX_LINES = 10
"""Maximum number of consecutive marker lines that assign their sources to the blocks above. Further marker lines count
only for the answer as a whole."""
_WORD = re.compile(r"[^\W_]")


@dataclass(slots=True)
class BlockReading:
    """The claims and markers of a block. If a block contains only markers, their sources belong to the block above
    it."""

    kind: BlockKind
    claims: list[Claim]
    markers: Sequence[PlacedMarker]
    is_markers_alone: bool


def read_block(text: str, block: Block, rendered: RenderedText, language: str | None) -> BlockReading:
    """Return the claims of one block with the sources of their markers."""
    alone = bool(rendered.markers) and block.kind in _KINDS and not _WORD.search(rendered.text)
    kind = _KINDS.get(block.kind)
    claims: list[Claim] = []
    titled = block.kind == "paragraph" and len(block.pieces) == 1 and is_title(text[slice(*block.pieces[0])])
    if kind and not alone and not titled:
        claims = list(_claims(rendered, kind, language))
    return BlockReading(block.kind, claims, rendered.markers, alone)


def _claims(rendered: RenderedText, kind: ClaimKind, language: str | None) -> Iterator[Claim]:
    spans = _spans(rendered.text, kind, language)
    markers: list[list[PlacedMarker]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for marker in rendered.markers if spans else ():
        markers[max(0, bisect_left(starts, marker.at) - 1)].append(marker)
    for (start, end), own_markers in zip(spans, markers, strict=True):
        body = wording(rendered.text[start:end])
        if is_claim(body, cited=bool(own_markers)):
            sources = union(marker.sources for marker in own_markers)
            first = min([rendered.places[start], *(marker.start for marker in own_markers)])
            last = max([rendered.places[end - 1] + 1, *(marker.end for marker in own_markers)])
            yield Claim(body, first, last, kind, sources.citations, sources.invalid)


def _spans(text: str, kind: ClaimKind, language: str | None) -> list[tuple[int, int]]:
    """Return the spans of the sentences. A table row is a single span. Punctuation without a word belongs to the
    sentence before it."""
    if kind == "row":
        return [(0, len(text))] if text else []
    spans: list[tuple[int, int]] = []
    for start, end in sentences(text, language):
        if spans and not _WORD.search(text, start, end):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


class Above:
    """Collects the blocks above a marker line, because their claims receive its sources.

    The sources of a line with file names or addresses apply to every uncited claim of the paragraph, list or table. A
    bare number applies only to the last claim.
    """

    def __init__(self) -> None:
        self._run: list[BlockReading] = []
        self._bare: list[tuple[BlockReading, int]] = []
        self._lines = 0

    def add(self, block: BlockReading) -> None:
        """Add the next block. A marker line assigns its sources to the blocks before it."""
        if block.is_markers_alone:
            self._credit(block)
            return
        if self._lines or block.kind not in ("item", "row") or (self._run and self._run[-1].kind != block.kind):
            self._run, self._lines = [], 0
        self._run.append(block)

    def _credit(self, line: BlockReading) -> None:
        self._lines += 1
        if not self._run or self._lines > _MAX_LINES:
            return
        if self._lines == 1:
            claims = ((block, n, claim) for block in self._run for n, claim in enumerate(block.claims))
            self._bare = [(block, n) for block, n, claim in claims if not claim.is_cited]
        sources = union(marker.sources for marker in line.markers)
        last = [(self._run[-1], len(self._run[-1].claims) - 1)] if self._run[-1].claims else []
        whole = all(marker.of_files for marker in line.markers)
        for block, n in (self._bare or last) if whole else last:
            block.claims[n] = _with_sources(block.claims[n], sources)


def _with_sources(claim: Claim, sources: MarkerSources) -> Claim:
    combined = union([MarkerSources(claim.citations, claim.invalid), sources])
    return replace(claim, citations=combined.citations, invalid=combined.invalid)


def read_citations(answer: str, sources: Sequence[Citable], language: str | None = None) -> CitedAnswer:
    """Return the claims of a Markdown answer with their sources, in time linear in the answer's length. `language` is
    the language of the answer; if None, it is detected."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    spoken = language or language_of(text)
    parts: list[BlockReading] = []
    above = Above()
    for block in without_references(text, blocks):
        for part, rendered in _parts(text, block, scanner):
            parts.append(read_block(text, part, rendered, spoken))
            above.add(parts[-1])
    combined = union(marker.sources for part in parts for marker in part.markers)
    return CitedAnswer(tuple(claim for part in parts for claim in part.claims), combined.citations, combined.invalid)


def markers_in(answer: str, sources: Sequence[Citable]) -> tuple[PlacedMarker, ...]:
    """Return all markers that match sources, in order, with offsets into the answer. Markers in a list of sources are
    excluded."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    parts = (marker for block in without_references(text, blocks) for marker in _parts(text, block, scanner))
    return tuple(
        sorted((marker for _, rendered in parts for marker in rendered.markers), key=lambda marker: marker.start)
    )


def _parts(text: str, block: Block, scanner: InlineScanner) -> Iterator[tuple[Block, RenderedText]]:
    """Yield the block with its rendered text. If a paragraph ends with a source line, that line becomes a separate
    block."""
    if block.kind in ("entry", "other"):
        yield block, RenderedText("", (), ())
        return
    last = render(text, block.pieces[-1:], scanner)
    if len(block.pieces) == 1:
        yield block, last
    elif last.markers and not last.text.strip() and all(marker.of_files for marker in last.markers):
        above = Block(block.kind, block.pieces[:-1])
        yield above, render(text, above.pieces, scanner)
        yield Block("paragraph", block.pieces[-1:]), last
    else:
        yield block, render(text, block.pieces, scanner)
