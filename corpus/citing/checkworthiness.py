"""Check-worthiness: which sentences of an answer state something that a source could support."""

from __future__ import annotations

import re

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
    r"|Hinweis: Diese Antwort stützt sich auf wenige Belege\.|Bitte prüfen Sie sie an weiteren Quellen\."
    r"|Your documents do not seem to answer this question\."
    r"|Nichts in den Dokumenten scheint diese Frage zu beantworten\."
    r"|Nothing in what was found mentions “[^”\n]{1,60}”(?:, “[^”\n]{1,60}”){0,2}\."
    r"|Nichts, was gefunden wurde, erwähnt „[^“\n]{1,60}“(?:, „[^“\n]{1,60}“){0,2}\."
)
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?=\S)(?P<title>[^\n]{1,200}?)\1\s*")
_FULL_STOP = re.compile(r"[.!?…。！？؟।][\"'»”“’)\]]*\s*\Z")
_LETTER = re.compile(r"[^\W_]")


def is_claim(text: str, *, cited: bool) -> bool:
    """Return whether a rendered sentence states something; questions, and lead-ins to lists, do not."""
    if not _LETTER.search(text) or _QUESTION.search(text):
        return False
    if _LEAD_IN.search(text) and not cited:
        return False
    return not (says_not_found(text) or _NOTICE.fullmatch(text))


def says_not_found(text: str) -> bool:
    """Return whether a text only reports that the sources do not answer."""
    return _NOT_FOUND.fullmatch(text.strip(" .!。*_\"'\n")) is not None


def is_title(raw: str) -> bool:
    """Return whether a paragraph is a bold heading: one line that is not a sentence."""
    match = _BOLD_LINE.fullmatch(raw)
    return match is not None and not re.search(r"\*\*|__", match["title"]) and not _FULL_STOP.search(match["title"])
