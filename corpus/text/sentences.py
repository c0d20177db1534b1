"""Sentence boundaries by `sentencex`, corrected at abbreviations, ordinals, initials and markers."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NEVER_LAST = {
    "en": "dr mr mrs ms prof rev capt gov hon messrs mt fig figs eq eqs ch chap vs viz cf e.g i.e eg ie approx "
    "resp incl excl",
    "de": "dr prof dipl ing hr fr hrn frl fa st abb anh anl anm aufl bd bde bsp bspw bzgl bzw ca d.h dgl ehem "
    "einschl evtl exkl frz geb gegr ggf hg hrsg inkl insb insbes jhrl kap lt mind mio mrd mwst nr o.g rd s.o s.u "
    "sog ungef urspr vgl vs z.b z.t z.zt zgl zzgl i.d.r i.a i.h.v i.s.v i.v.m u.u",
    "fr": "m mm mme mmes mlle mlles dr pr me st ste cf env p.ex fig chap éd",
    "es": "sr sra sres srta dr dra d dña prof lic ud uds p.ej fig cap núm aprox av",
    "it": "sig sig.ra dott dr prof avv fig cap",
    "nl": "dr mr mw dhr prof ir fig bijv d.w.z blz nr",
}
_BEFORE_NUMBER = {
    "en": "no nos p pp vol art par para app tab ref refs sec v jan feb mar apr jun jul aug sep sept oct nov dec",
    "de": "nrn s ss sp abs art tab tel ziff rn bl str §",
    "fr": "p pp n no vol art",
    "es": "p pp n no pág págs vol art",
    "it": "p pp pag n vol art",
    "nl": "p pp vol art",
}
_LAST_TOO = {
    "en": "etc al inc ltd co corp bros jr sr a.m p.m u.s u.k u.n ph.d b.c a.d min max sec hr hrs ft st ave blvd",
    "de": "usw usf etc ff u.a u.ä o.ä uvm u.v.m v.chr n.chr jh jhd jhdt std min sek str pl co",
}

_STARTING = {
    "en": "the a an it its this that these those he she they we i you there here in on at for to by as if when while "
    "after before since although however both each every all some many most no not what who where why how but and then "
    "his her their our my your one its another other others such from with without under over",
    "de": "der die das den dem des ein eine einer einem einen er sie es wir ihr ich du man dies diese dieser dieses "
    "diesem diesen dort hier da dann danach davor dabei damit dazu daher deshalb außerdem jedoch aber und oder in im "
    "am an auf bei beim bis von vom zu zum zur mit nach seit für durch gegen ohne um unter über vor wenn weil als ob "
    "wie was wer wo warum heute später früher jetzt auch nur nicht kein keine alle jede jeder jedes viele einige "
    "beide sein seine seinen seiner ihre ihren ihrer unser unsere siehe andere",
}
_MONTHS_WORDS = (
    "januar jänner februar märz april mai juni juli august september oktober november dezember jan "
    "feb mär apr jun jul aug sep sept okt nov dez "
)
MONTHS = frozenset(_MONTHS_WORDS.split())
"""German month names as they appear after a day."""


def _by_language(lists: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


NEVER_LAST = _by_language(_NEVER_LAST)
BEFORE_NUMBER = _by_language(_BEFORE_NUMBER)
LAST_TOO = _by_language(_LAST_TOO)
STARTING = _by_language(_STARTING)


def words_of(lists: dict[str, frozenset[str]], language: str) -> frozenset[str]:
    """Return the words listed for a language, or those for English and German if the language has no list."""
    return lists.get(language) or lists["en"] | lists["de"]


_PIECE = 4_000
"""Maximum number of characters per call to `sentencex`, whose time is quadratic in the number of quotation marks."""
_ENDED = re.compile(r"[.!?…。！？؟।][\"'»”’“)\]]*\s*\Z")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BELONGS_BEFORE = re.compile(
    r"""\s{0,40}+(?:
        (?:\[\^?\s?\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}\s?\^?\]|【[^【】\n]{1,80}】|［\d{1,4}］|[¹²³⁰⁴-⁹]{1,8}(?!\w)
          |\*?\((?:Source|Sources|Quelle|Quellen):\s[^()\n]{1,200}(?:\([^()\n]{1,60}\))?\)\*?)[.,]?
        |[)\]}»”’](?=\s|\Z))""",
    re.VERBOSE,
)
_UNSPEAKABLE = re.compile("[\ud800-\udfff\x00]")


def sentences(text: str, language: str | None = None) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each sentence in code points, without surrounding space.

    A marker after a full stop belongs to the sentence before it. An empty line ends a sentence.
    """
    lang = (language or "").split("-")[0].lower()
    starts = [0]
    for place in _ends(_UNSPEAKABLE.sub("\ufffd", text), lang):
        end = _after_markers(text, place)
        if end > starts[-1]:
            starts.append(end)
    return tuple(_trim(text, starts, len(text)))


def _ends(text: str, language: str) -> Iterator[int]:
    """Yield offsets between sentences, in order."""
    last = 0
    for end in _candidates(text, language):
        before, after = text[max(last, end - 80) : end], text[end : end + 80]
        if not _is_paragraph_break(text, end) and is_no_break(before, after, language):
            continue
        yield from missed_breaks(text, last, end, language)
        yield end
        last = end
    yield from missed_breaks(text, last, len(text), language)


def _is_paragraph_break(text: str, end: int) -> bool:
    """Return whether there is an empty line at this offset."""
    before, after = text[max(0, end - 20) : end], text[end : end + 20]
    around = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    return bool(_PARAGRAPH.search(around))


def _candidates(text: str, language: str) -> Iterator[int]:
    import sentencex  # loads a native module, which a server does not need before the first question

    start = 0
    while start < len(text):
        piece = text[start : start + _PIECE]
        piece_end = len(piece) if start + _PIECE >= len(text) else _piece_end(piece)
        piece = piece[:piece_end]
        for boundary in sentencex.get_sentence_boundaries(language or "en", piece):
            if boundary["end_index"] < len(piece):
                yield start + boundary["end_index"]
        start += piece_end
        if start < len(text) and _ENDED.search(piece[-20:]):
            yield start


def _piece_end(piece: str) -> int:
    """Return the offset at which to cut a piece: after its last complete paragraph, sentence or word."""
    for sign in ("\n\n", ". ", "\n", " "):
        place = piece.rfind(sign, len(piece) // 2)
        if place >= 0:
            return place + len(sign)
    return len(piece)


def _after_markers(text: str, end: int) -> int:
    """Return the offset after markers that belong to the previous sentence."""
    if _is_paragraph_break(text, end):
        return end
    while (match := _BELONGS_BEFORE.match(text, end)) and not _PARAGRAPH.search(match[0]):
        end = match.end()
    return end


def _trim(text: str, starts: list[int], length: int) -> Iterator[tuple[int, int]]:
    for start, end in zip(starts, [*starts[1:], length], strict=True):
        body = text[start:end]
        sentence = body.strip()
        if sentence:
            first = start + len(body) - len(body.lstrip())
            yield first, first + len(sentence)


_MAX_ABBREVIATION = 5
"""Maximum length in characters of a word before a full stop that counts as an abbreviation if a lower-case letter
follows."""
_LAST_WORD = re.compile(r"(?<!\w)(?:[^\W\d_]{1,2}\.\s?){0,4}(?<!\w)[^\W\d_]{1,12}\.\Z")
_GOES_ON = re.compile(r"\s*[,;:–—)\]}»”’/]")
_FIRST_WORD = re.compile(r"[\s\"'„“«»‚‘(\[]*([^\W_]+)")
_INITIAL = re.compile(r"(?:\A|[\s(.])[^\W\d_]\.\Z")
_ROMAN = re.compile(r"[^\W\d_]{2}\s[IVX]{1,5}\.\Z")
_ORDINAL = re.compile(r"(?:(?<!\w)(\w++)\s)?(?:\d{1,2}\.?(?:\s?(?:/|bis|und|oder|–|-)\s?))?\d{1,3}\.\Z")
_DETERMINED_WORDS = (
    "der die das den dem des am im zum zur vom beim bis ab seit ein eine einer einem einen ihr ihre "
    "ihrem ihren sein seine seinem seinen jeder jede jedes jedem jeden dieser diese dieses diesem "
    "diesen unser unsere mein meine "
)
_DETERMINED = frozenset(_DETERMINED_WORDS.split())
_OF_NUMBERS_WORDS = "jh jhd jhdt jahrhundert jahrhunderts jahrhunderte weltkrieg lebensjahr quartal "
_OF_NUMBERS = frozenset(_OF_NUMBERS_WORDS.split())
_HIRAGANA = re.compile("[\u3041-\u3096]")
_MAYBE = re.compile(r"(?<=[.!?])[\"»”“]?\s+(?=[\"„«“]?[^\W\d_])")
_QUOTES = re.compile(r"[\"„“”«»]")


def is_no_break(before: str, after: str, language: str) -> bool:
    """Return whether the sentence continues at a possible break. `before` and `after` are the texts before and after
    it."""
    before = before.rstrip()
    match = _FIRST_WORD.match(after)
    word = match[1] if match else ""
    if before.endswith((".", "…")):
        return _stop_ends_no_sentence(before, after, word, language)
    return _goes_on(before, after, word)


def _goes_on(before: str, after: str, word: str) -> bool:
    if _GOES_ON.match(after) or (before.endswith(("」", "』")) and _HIRAGANA.match(after)):
        return True
    return bool(word) and before.endswith(('"', "“", "”", "»", "’", "'", ")", "」", "』")) and _is_small(word, after)


def _is_small(word: str, after: str) -> bool:
    """Return whether the word is lower-case as in the middle of a sentence: `see`, not `eBay`."""
    return word.islower() and after.lstrip()[:1].islower()


def _stop_ends_no_sentence(before: str, after: str, word: str, language: str) -> bool:
    abbreviation = _abbreviation(before)
    starts = word.lower() in words_of(STARTING, language) and not word.islower()
    small = _is_small(word, after)
    if _GOES_ON.match(after) or abbreviation in words_of(NEVER_LAST, language):
        return True
    if small and (len(abbreviation) <= _MAX_ABBREVIATION or before.endswith(("...", "…"))):
        return True
    if abbreviation in words_of(BEFORE_NUMBER, language) or abbreviation.endswith("str"):
        return word[:1].isdigit() or bool(re.fullmatch(r"[IVXLC]+", word))
    if abbreviation in words_of(LAST_TOO, language):
        return False
    if _INITIAL.search(before) and before[-2].isupper() and word[:1].isupper():
        return not starts
    return language in ("de", "") and _is_german_ordinal(before, word, starts)


def _abbreviation(before: str) -> str:
    match = _LAST_WORD.search(before[-30:])
    return "".join(match[0].split())[:-1].lower() if match else ""


def _is_german_ordinal(before: str, word: str, starts: bool) -> bool:
    if not word or starts:
        return False
    if _ROMAN.search(before):
        return True
    match = _ORDINAL.search(before[-40:])
    if not match:
        return False
    follows = word.lower() in MONTHS or word.lower() in _OF_NUMBERS
    return follows or word.islower() or (match[1] or "").lower() in _DETERMINED


def missed_breaks(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Yield offsets within a sentence at which another sentence clearly starts, for example between `usw.` and a word
    that starts sentences. Yield none within quotation marks."""
    quotes, end_of_match = 0, start
    for match in _MAYBE.finditer(text, start, end):
        quotes += len(_QUOTES.findall(text, end_of_match, match.end()))
        end_of_match = match.end()
        before = text[max(start, end_of_match - 80) : end_of_match].rstrip()
        if quotes % 2 == 0 and _starts_anew(before, text[end_of_match : end_of_match + 80], language):
            yield end_of_match


def _starts_anew(before: str, after: str, language: str) -> bool:
    match = _FIRST_WORD.match(after)
    word = match[1] if match else ""
    if not word[:1].isupper() or word.lower() not in words_of(STARTING, language):
        return False
    abbreviation = _abbreviation(before)
    if abbreviation in words_of(NEVER_LAST, language) or len(after.split()) < 2:
        return False
    ends = (_INITIAL.search(before) and before[-2].isupper()) or _ROMAN.search(before)
    return bool(ends) or abbreviation in words_of(LAST_TOO, language)


_MAX_SENTENCE = 500
"""Maximum length of a sentence in characters. Longer text without a sentence end is cut between words."""
_LINE = re.compile(r"\n(?=[^\S\n]*(?:[|•*\-–]|\d+[.)]\s|\n))")
"""Pattern for a line break before a row, an item or a paragraph. Any other line break may be inside a sentence."""


def sentence_spans(text: str, language: str | None) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence in code points, without surrounding white space."""
    for first, last in sentences(text, language):
        for start, end in _lines(text, first, last):
            yield from _pieces(text, start, end)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _LINE.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _MAX_SENTENCE:
        end_of_piece = text.rfind(" ", start + 1, start + _MAX_SENTENCE)
        end_of_piece = end_of_piece if end_of_piece > start else start + _MAX_SENTENCE
        yield from _strip(text, start, end_of_piece)
        start = end_of_piece
    yield from _strip(text, start, end)


def _strip(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    if first < last:
        yield first, last
