"""Rewrite Markdown source without changing its length: remove hidden passages, and resolve raised and struck-out
text."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from corpus.readers.markup import iso_utc
from corpus.readers.typography import mark_position, resolve_marks, subscript, superscript
from corpus.readers.web.css import is_clear, is_out_of_sight, is_tiny, parse_declarations

_FRONT = re.compile(
    r"\ufeff?(?:---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+)[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_MAX_CHARACTERS = 20_000
"""Maximum number of characters searched for front matter, to limit the time that the pattern takes; front matter is a
few hundred characters long."""
_ENTRY = re.compile(r"(?P<key>[A-Za-z][\w -]{0,60}):(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?:(?:name|given)\s*:\s*)?(?P<value>.+)$")
_NAME = re.compile(r"\s+name\s*:\s*(?P<value>.+)$")
_AUTHORS = ("author", "authors", "by", "creator")
_DATES = (
    "date", "published", "publish_date", "pubdate", "created", "lastmod", "updated", "last_modified",
    "modified",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter. `end` is the offset of the text below it, or 0 if there is no front matter. `date` is in ISO
    8601."""

    title: str | None = None
    author: str | None = None
    date: str | None = None
    end: int = 0


def front_matter_of(text: str) -> FrontMatter:
    """Parse the front matter of a text. A rule at the start of the text begins front matter only if entries follow
    it."""
    match = _FRONT.match(text[:_MAX_CHARACTERS])
    if not match:
        return FrontMatter()
    try:
        entries = _toml(match["toml"]) if match["toml"] is not None else _yaml(match["yaml"])
    except tomllib.TOMLDecodeError:
        entries = {}
    if not entries:
        return FrontMatter()
    author = next((entries[key] for key in _AUTHORS if entries.get(key)), None)
    when = next((iso for key in _DATES if (iso := _iso(entries.get(key)))), None)
    return FrontMatter(entries.get("title") or None, author, when, match.end())


def _yaml(source: str) -> dict[str, str]:
    """Return the top-level entries. A list becomes its items, separated by commas."""
    entries: dict[str, str] = {}
    key = ""
    for line in source.splitlines():
        if entry := _ENTRY.match(line):
            key = entry["key"].strip().lower()
            entries[key] = _scalar(entry["value"] or "")
        elif key and (item := _ITEM.match(line) or _NAME.match(line)):
            entries[key] = ", ".join(filter(None, (entries[key].strip("|> "), _scalar(item["value"]))))
        elif key and line[:1].isspace() and line.strip() and ":" not in line:
            entries[key] = f"{entries[key].strip('|> ')} {line.strip()}".strip()
    return entries


def _scalar(text: str) -> str:
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        return ", ".join(filter(None, map(_scalar, text[1:-1].split(","))))
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"')
    return re.sub(r"(?s)(?<!\s)\s+#.*", "", text)


_WRITTEN_DATES = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d", "%d.%m.%Y")
"""Date formats other than ISO 8601 in which day and month cannot be confused."""


def _toml(source: str) -> dict[str, str]:
    return {key.lower(): text for key, value in tomllib.loads(source).items() if (text := _text(value))}


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return _text(value.get("name"))
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value) if isinstance(value, str | int | float) else ""


def _iso(text: str | None) -> str | None:
    try:
        return iso_utc(datetime.fromisoformat(text.strip())) if text else None
    except ValueError:
        pass
    try:
        day = re.match(r"\d{4}-\d{2}-\d{2}", text or "")
        if day:
            return iso_utc(datetime.fromisoformat(day[0]))
    except ValueError:
        return None
    for form in _WRITTEN_DATES:
        try:
            return iso_utc(datetime.strptime((text or "").strip(), form))
        except ValueError:
            continue
    return None


BLANK = "\0"
"""Replacement for each hidden character, so that offsets stay the same; `clean` removes it."""

_HIDDEN_STEP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*$"
    r"|(?P<code>`{1,20})(?!`)"
    r"|(?P<comment><!--)"
    r"|^ {0,3}\[(?://|comment|_?metadata_?)?\]:[ \t]*(?:#|<>)[^\n]*$"
    r"|<(?P<name>[a-z][a-z0-9-]{0,20})(?P<attributes>(?:\s[^<>]{0,1000})?)>",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_CODE = 2_000
"""Maximum length of inline code in characters. With a higher limit, a hostile text could take a long time to
process."""

_SILENT = {"script", "style", "template"}
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?:\s|=|/|$)", re.IGNORECASE)
_HTML_TAG = re.compile(r"</?[a-z][^<>]{0,1100}>", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|[\r\n]) {0,3}$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def blank_hidden(text: str) -> tuple[str, int]:
    """Return a text of equal length without hidden passages, and the number of these passages. Code is left
    unchanged."""
    parts, count, start = list[str](), 0, 0
    for first, last in _spans(text):
        passage = text[first:last]
        count += bool(re.search(r"\w", _HTML_TAG.sub("", passage)))
        parts += [text[start:first], re.sub(r"[^\r\n]", BLANK, passage)]
        start = last
    return "".join([*parts, text[start:]]), count


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place, is_closed = 0, True
    while match := _HIDDEN_STEP.search(text, place):
        place = match.end()
        if match["fence"]:
            place = end_of_fence(text, match)
        elif match["code"]:
            place = end_of_code(text, match)
        elif match["comment"]:
            close_at = text.find("-->", place) if is_closed else -1
            is_closed = close_at >= 0
            if not is_closed and not _LINE_START.search(text[max(0, match.start() - 4) : match.start()]):
                continue  # inside a line it is ordinary text
            place = close_at + 3 if is_closed else len(text)
            yield match.start(), place
        elif not match["name"]:
            yield match.start(), place
        elif _is_unseen(match["name"].lower(), match["attributes"]):
            place = _end_of_element(text, match)
            yield match.start(), place


def _is_unseen(name: str, attributes: str) -> bool:
    if name in _VOID:
        return False
    if name in _SILENT or _HIDDEN.search(_QUOTED.sub("", attributes)):
        return True
    style = _STYLE.search(attributes)
    if not style:
        return False
    declarations = parse_declarations(next(filter(None, style.groups()), ""))
    return (
        is_out_of_sight(declarations)
        or declarations.get("visibility") in ("hidden", "collapse")
        or bool(is_tiny(declarations.get("font-size", "")))
        or is_clear(declarations.get("color", ""))
    )


def end_of_code(text: str, match: re.Match[str]) -> int:
    """Return the end of inline code that starts with the group "code"; the end of its opening mark if the code is not
    closed."""
    place = match.end()
    close = re.compile(rf"(?<!`){match['code']}(?!`)").search(text, place, _end_of_paragraph(text, place))
    return close.end() if close else place


def end_of_fence(text: str, match: re.Match[str]) -> int:
    """Return the end of a code fence that starts with the group "fence"; the end of the text if the fence is not
    closed."""
    mark = match["fence"]
    close = re.compile(rf"^ {{0,3}}{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$", re.MULTILINE)
    end = close.search(text, match.end())
    return end.end() if end else len(text)


def _end_of_paragraph(text: str, place: int) -> int:
    gap = re.compile(r"\n[ \t]*\n").search(text, place, place + _MAX_CODE)
    return gap.start() if gap else min(len(text), place + _MAX_CODE)


def _end_of_element(text: str, match: re.Match[str]) -> int:
    """Return the end of an element, with nested tags of the same name paired; the end of the text if it is not
    closed."""
    if match["attributes"].rstrip().endswith("/"):
        return match.end()
    level = 1
    for tag in re.compile(rf"<(/?){match['name']}\b[^<>]{{0,1000}}>", re.IGNORECASE).finditer(text, match.end()):
        level += -1 if tag[1] else 1
        if not level:
            return tag.end()
    return len(text)


_BEFORE = 40
"""Number of characters before raised text that determine how it is written."""

_STEP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*$"
    r"|(?P<code>`{1,20})(?!`)"
    r"|<(?P<name>sup|sub)>(?P<inner>[^<>\n]{0,200}|<a\s[^<>\n]{1,300}>[^<>\n]{1,20}</a>)</(?P=name)>"
    r"|<(?P<gone>del|s|strike)>[^<]{0,1000}"
    r"(?:</?(?:b|i|em|strong|code|a\b[^<>\n]{0,300})>[^<]{0,1000}){0,6}</(?P=gone)>"
    r"|(?<![~\\])~~(?=[^\s~])(?P<struck>[^\n~]{1,1000}(?:\n(?!\s*\n)[^\n~]{1,1000}){0,5})(?<=\S)~~(?!~)"
    r"|(?<=[^\s^\[\\])\^(?P<up>[^\s^\[\]()$`*_]{1,12})\^(?![\w^])"
    r"|(?<=[A-Za-z)\]])~(?P<down>[0-9+\-−]{1,4}|[a-z]{1,4})~(?!~)",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"</?a[^<>]{0,300}>", re.IGNORECASE)


def resolve_markdown_marks(text: str) -> tuple[str, Counter[str]]:
    """Return a text of equal length with `10⁶` in place of `10^6^` and `<sup>`, and without struck-out text; also
    return counts of the struck-out passages.

    Code is left unchanged.
    """
    left_out = Counter[str]()
    parts, done, place = list[str](), 0, 0
    while match := _STEP.search(text, place):
        place = match.end()
        if match["fence"]:
            place = end_of_fence(text, match)
            continue
        if match["code"]:
            place = end_of_code(text, match)
            continue
        near = text[max(done, match.start() - _BEFORE) : match.start()]
        before = "".join([*parts[-3:], near])[-_BEFORE:].replace(BLANK, "")
        new = _replacement(match, before.rpartition("\n")[2], left_out)
        if len(new) <= len(match[0]):
            parts += [text[done : match.start()], new, re.sub(r"[^\r\n]", BLANK, match[0][len(new) :])]
            done = match.end()
    return "".join([*parts, text[done:]]), left_out


def _replacement(match: re.Match[str], before: str, left_out: Counter[str]) -> str:
    """Return the replacement for a mark and its text."""
    if match["struck"] or match["gone"]:
        left_out["deleted passage" if (match["gone"] or "").lower() == "del" else "struck passage"] += 1
        return ""
    if match["up"]:
        return superscript(match["up"], before)
    if match["down"]:
        return subscript(match["down"], before)
    inner = _TAG.sub("", match["inner"])
    if match["name"].lower() == "sub":
        return subscript(inner, before)
    is_note = inner != match["inner"]
    return resolve_marks(before + mark_position(inner, "note" if is_note else "raised"))[len(before) :]
