"""Front matter of a Markdown text: YAML between lines of `---`, or TOML between lines of `+++`.

Title, author and date are simple values, so YAML is parsed line by line: no YAML library comes with every install.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from corpus.readers.markup import iso_utc

_FRONT = re.compile(
    r"\ufeff?(?:---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+)[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_MAX_CHARACTERS = 20_000
"""Bounds the pattern's time; front matter is a few hundred characters."""
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
    """`end` is the offset of the text below it, 0 without front matter. `date` is in ISO 8601."""

    title: str | None = None
    author: str | None = None
    date: str | None = None
    end: int = 0


def front_matter_of(text: str) -> FrontMatter:
    """Parse a text's front matter. A rule at the start is front matter only if entries follow it."""
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
    """Return the top-level entries; a list becomes its items with commas between them."""
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
"""Other formats than ISO 8601 in which day and month cannot be confused."""


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
