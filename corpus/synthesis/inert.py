"""A model's answer as markdown that fetches nothing but the pictures of its own sources.

A model may have been talked into something by a document: an image whose address carries words away, a link that looks
like a source. Such things are taken out and counted; what is left is parsed once more, to be sure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.markdown import as_text
from corpus.text import clean

_PARTS = re.compile(
    r"""
      (?P<code>^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:.*?^[ ]{0,3}(?P=fence)[`~]*[ ]*$|.*\Z)
             | (?<!`)(?P<tick>`{1,5})(?!`)[^\n]{1,500}?(?<!`)(?P=tick)(?!`))
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<bang>!?)\[(?P<label>(?:\\.|[^\\\[\]]|\[[^\[\]\n]{0,200}\]){0,500}+)\]
      \(\s{0,3}(?:<(?P<angled>[^<>\n]{0,2000})>|(?P<plain>[^\s()<>]{0,2000}))
      (?:\s+["'(][^\n]{0,300}?["')])?\s{0,3}(?P<link>\))
    | (?P<reference>!?\[[^\[\]\n]{1,200}\]\[[^\[\]\n]{0,200}\](?=[^(\[]|\Z))
    | (?P<definition>^[ ]{0,3}\[[^\[\]\n]{1,200}\]:)
    | (?P<bare><(?:https?|mailto|ftp):[^<>\s]{1,2000}>|(?<![^\W_])(?:https?|ftp)://[^\s<>()\[\]]{0,2000})
    | (?P<tag><(?=[A-Za-z/!?]))
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
LONGEST = 40_000
"""Letters of an answer that are looked at; a model that was asked for 1,000 tokens writes far fewer."""

_NUMBERS = re.compile(r"\[\s*\^?\d[\d\s,;–-]*\^?\s*\]")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True)
class Inert:
    """The text, and how many pictures and links were taken out of it."""

    text: str
    pictures: int
    links: int


def inert(answer: str, pictures: Collection[str], addresses: Collection[str] = ()) -> Inert:
    """The answer with these pictures and links alone, by their exact addresses."""
    cleaner = _Cleaner(pictures, addresses)
    text = _PARTS.sub(cleaner.kept, clean(answer[:LONGEST])).strip()
    if any(_fetches(token, pictures, addresses) for token in _inline(text)):
        text = as_text(clean(answer[:LONGEST])).strip()
    return Inert(text, cleaner.pictures, cleaner.links)


@dataclass(slots=True)
class _Cleaner:
    allowed_pictures: Collection[str]
    allowed_addresses: Collection[str]
    pictures: int = 0
    links: int = 0

    def kept(self, found: re.Match[str]) -> str:
        """What stands for this part of the answer."""
        match found.lastgroup:
            case "link":
                return self._link(found)
            case "reference":
                return found[0] if _NUMBERS.match(found[0]) else found[0].replace("[", "\\[")
            case "definition":
                return found[0][:-1] + "\\:"
            case "bare":
                address = found[0].strip("<>").rstrip(".,;:!?")
                return found[0] if address in self.allowed_addresses else _broken(found[0])
            case "tag":
                return "\\<"
            case _:  # code, and what is escaped
                return found[0]

    def _link(self, found: re.Match[str]) -> str:
        address = found["angled"] or found["plain"] or ""
        if found["bang"]:
            if address in self.allowed_pictures:
                return f"![{found['label']}]({address})"
            self.pictures += 1
            return ""
        if address in self.allowed_addresses:
            return f"[{found['label']}]({address})"
        self.links += 1
        return found["label"]


def _broken(address: str) -> str:
    """The address as text: no renderer makes a link of it by itself."""
    return address.replace("<", "\\<", 1).replace(":", "\\:", 1)


def _inline(text: str) -> Iterator[Token]:
    for token in _PARSER.parse(text):
        yield token
        yield from token.children or ()


def _fetches(token: Token, pictures: Collection[str], addresses: Collection[str]) -> bool:
    if token.type in ("html_block", "html_inline"):
        return True
    if token.type == "image":
        return str(token.attrGet("src")) not in _as_parsed(pictures)
    return token.type == "link_open" and str(token.attrGet("href")) not in _as_parsed(addresses)


def _as_parsed(addresses: Collection[str]) -> set[str]:
    return {_PARSER.normalizeLink(one) for one in addresses}
