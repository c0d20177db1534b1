"""Lists of sources at the end of an answer, which explain numbers and cite nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpus.citing.structure import Block

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
"""A file of at most five words, or an address, at the beginning of a line."""
_NUMBERED_ROW = re.compile(r"\|?\s*\[?\^?\d{1,9}\^?\]?\s*\|")
_PUBLISHED = re.compile(r"\((?:1[5-9]|20)\d\d[a-z]?\)|,\s(?:1[5-9]|20)\d\d\.?\s*$")
"""A year as in a bibliography."""
_NUMBER_BEFORE = re.compile(r"\d[.)]\s+(?:\[[ xX]\]\s+)?\Z")
_FULL_STOP = re.compile(r"[.!?…。！？][\"'»”“’)\]*_]*\s*\Z")


def without_references(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, with those of source lists turned into entries. Statements below the title of such a list stay
    claims."""
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
    """The lines of a block before a source list, and those of the list."""
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
    """Lines from `first` on, grouped into entries and others."""
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
    """Whether the whole block belongs to a source list; for an item also where it is numbered or no sentence."""
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
    """Whether a line begins with a number, file or address, or has a year of publication."""
    return any(form.match(line) for form in (_ENTRY, _FILE)) or bool(_PUBLISHED.search(line))
