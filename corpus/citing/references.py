"""Lists of sources at the end of an answer: they tell what the numbers are, and cite nothing."""

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
    r"источники|литература|参考文献|参考资料|来源|資料來源|出典|資料|المصادر|المراجع)[\s*_]*[:：]?[\s*_]*",
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
    r"\s*(?:\[\^?\d{1,9}\^?\]:?\s+|[¹²³⁴-⁹⁰]{1,3}\s?)(?:[*_`\"„“(\[]*(?:Source:|Quelle:)|https?://|[*_`\"\[<]*[^\n]{1,160}?\.[A-Za-z][A-Za-z0-9]{1,4}\b"
    r"(?:[`\"*_)\]]*\s*(?:$|[,:;(–—-])))"
)
_FILE = re.compile(r"[^\s.]\.[A-Za-z][A-Za-z0-9]{1,4}\b|https?://")


def without_references(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, those of lists of sources turned into entries."""
    listing, section = False, False
    for block in blocks:
        if block.kind == "heading":
            listing = section = _is_title(text, *block.pieces[0])
            yield block
        elif section:
            yield Block("entry", block.pieces)
        elif block.kind not in ("paragraph", "item"):
            listing = listing and block.kind in ("entry", "other")
            yield block
        elif listing and _all_entries(text, block):
            yield Block("entry", block.pieces)
        else:
            kept, entries = _parted(text, block)
            listing = bool(entries)
            if kept:
                yield Block(block.kind, kept)
            if entries:
                yield Block("entry", entries)


def _is_title(text: str, start: int, end: int) -> bool:
    return bool(_TITLE.fullmatch(text, start, end))


def _all_entries(text: str, block: Block) -> bool:
    """Whether it goes on with a list of sources: an item, or lines that each begin with a number or an address."""
    if block.kind == "item":
        return True
    return all(
        _ENTRY.match(text, start, end) or _FILE.search(text, start, end) for start, end in block.pieces
    )


def _parted(text: str, block: Block) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The lines of a block before a list of sources, and those of the list."""
    for n, (start, end) in enumerate(block.pieces):
        if _is_title(text, start, end):
            return block.pieces[:n], block.pieces[n:]
        if _TITLED.match(text, start, end):
            return block.pieces[:n], block.pieces[n:]
    if all(_BARE_SOURCE.match(text[start:end]) for start, end in block.pieces):
        return [], block.pieces
    return block.pieces, []
