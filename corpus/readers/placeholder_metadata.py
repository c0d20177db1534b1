"""Detect titles and authors that are only placeholders."""

from __future__ import annotations

import re

_NOTHING = r"untitled|unbenannt|unspecified|anonymous|unknown|unbekannt|none|null|n/?a|\W*"
_TITLE = re.compile(
    rf"{_NOTHING}|no title|ohne titel|sans titre|untitled (document|presentation|spreadsheet)|new document"
    r"|powerpoint[- ]pr(esentation|äsentation)",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    rf"{_NOTHING}|author|autor|python-docx|openpyxl|user|admin(istrator)?|owner|root|\w*\(0x[0-9a-f]*\)",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"(?:(?:strictly |highly |company |streng |staff )?(?:confidential|vertraulich|confidentiel|confidencial"
    r"|riservato|privileged|restricted|secret|geheim)|(?:first |final |working |rough )?draft(?: (?:\d[\d.]*+"
    r"|version|copy|only))?|(?:vor|roh)?entwurf|konzept|brouillon|projet|borrador|bozza|preliminary|vorläufig"
    r"|provisional|internal(?: use only)?|intern|nur für den (?:internen|dienst)gebrauch|for (?:internal use"
    r"|review|comment)(?: only)?|not for (?:distribution|release|resale|circulation)|do not (?:copy|distribute)"
    r"|sample|specimen|muster|copy|kopie|duplicate|original|void|paid|bezahlt|urgent|eilt|final|approved"
    r"|superseded|obsolete|unclassified|embargoed)[\s.!:–—-]*",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary|uar|uari|vier)?|jänner|feb(?:ruary|ruar|ruari|r)?|février|mar(?:ch|s|zo|t|ço)?|märz|maart"
    r"|apr(?:il|ile)?|avril|abril|may|mai|mei|maggio|mayo|june?|juni|juin|giugno|junio|july?|juli|juillet|luglio|julio"
    r"|aug(?:ust|ustus)?|août|agosto|sept?(?:ember|embre|tembre|tiembre)?|settembre|o[ck]t(?:ober|obre|ubre)?|ottobre"
    r"|octobre|nov(?:ember|embre|iembre)?|de[cz](?:ember|embre)?|décembre|dicembre|diciembre|enero|febrero|gennaio"
    r"|febbraio)\.?"
)
_DATE = re.compile(
    rf"(?:[^\W\d_]+,? )?(?:(?:on|dated?|datum|stand|as of|vom|den):? )?"
    rf"(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th|\.)?(?: de)? {_MONTH},?(?: de)? ?\d{{0,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|{_MONTH},? \d{{4}})",
    re.IGNORECASE,
)
_CURRENCY = r"(?:[€$£¥]|EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?)"
_NUMBER = r"[+−-]?\d[\d.,'’ ]*(?:[–—-]{1,2})?"
_AMOUNT = re.compile(
    rf"(?:[^\W\d_]+ ){{0,2}}(?:[^\W\d_]+[:.]? )?(?:{_CURRENCY} ?{_NUMBER}|{_NUMBER} ?{_CURRENCY})",
    re.IGNORECASE,
)
"""A sum of money, as printed in large type on invoices: `1,450.00 EUR`, `Total: $ 99.50`."""
_ADDRESS = re.compile(
    r"\S[^\s@]*+@\S+\.\w{2,}|(?:https?://|www\.)\S+|(?:tel|phone|telefon|fax|mobile?)\b[.: ]*[+\d(].*"
    r"|(?:[A-Z]{1,2}-)?\d{5} [^\W\d_][^\d]*|.*\b[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}"
    r"|[^\d]*(?:straße|strasse|str\.|gasse|weg|platz|allee) \d+ ?[a-z]?(?:,.*)?"
    r"|\d+[a-z]? [^\d,]*\b(?:street|st\.?|road|rd\.?|avenue|ave\.?|lane|drive|boulevard|square)\b.*"
    r"|(?:p\.? ?o\.? box|postfach) \d+.*",
    re.IGNORECASE,
)
"""Addresses and phone numbers, which may also be in large type on a first page but are not titles."""
_BRACKETS = "()[]<>{}\"'"


def real_title(title: str | None) -> str | None:
    """Return the title, or None if it is a placeholder: `(anonymous)`, `Untitled`, `[unspecified]`, `DRAFT`."""
    return None if title and is_placeholder(title) else _unless_placeholder(title, _TITLE)


def real_author(author: str | None) -> str | None:
    """Return the author, or None if it is a placeholder or the name of a program."""
    return _unless_placeholder(author, _AUTHOR)


def is_placeholder(text: str) -> bool:
    """Return whether a line gives only a document's status (`DRAFT`), date, amount or address, rather than its
    subject."""
    bare = text.strip().strip(_BRACKETS).strip()
    return any(pattern.fullmatch(bare) for pattern in (_STATE, _DATE, _AMOUNT, _ADDRESS))


def _unless_placeholder(text: str | None, nothing: re.Pattern[str]) -> str | None:
    bare = (text or "").strip().strip(_BRACKETS).strip()
    return None if nothing.fullmatch(bare) or nothing.fullmatch((text or "").strip()) else text
