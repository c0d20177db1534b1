"""Sanitize a model's answer: keep only the pictures and links that its sources contain.

A document may manipulate the model into writing an image whose URL leaks data, or a link that looks like a source. Such
images and links are removed and counted, and the remaining text is parsed again for verification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.synthesis.answer import Source
from corpus.text.markdown import address, as_text
from corpus.text.normalization import clean

_PARTS = re.compile(
    r"""
      (?P<code>^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:.*?^[ ]{0,3}(?P=fence)[`~]*[ ]*$|.*\Z)
             | (?<!`)(?P<tick>`{1,5})(?!`)[^\n]{1,500}?(?<!`)(?P=tick)(?!`))
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<bang>!?)\[(?P<label>(?:\\.|[^\\\[\]]|\[[^\[\]\n]{0,200}\]){0,500}+)\]
      \(\s{0,3}(?:<(?P<angled>[^<>\n]{0,2000})>|(?P<plain>(?:[^\s()<>]|\([^\s()<>]{0,500}\)){0,2000}+))
      (?:\s+["'(][^\n]{0,300}?["')])?\s{0,3}(?P<link>\))
    | (?P<reference>!?\[[^\[\]\n]{1,200}\]\[[^\[\]\n]{0,200}\](?=[^(\[]|\Z))
    | (?P<note>^[ ]{0,3}\[\^?\d{1,6}\]:[^\n]*(?:\n|\Z))
    | (?P<raised><sup>\s?\[?\d[\d,;\s–-]{0,20}\]?\s?</sup>)
    | (?P<definition>^[ ]{0,3}\[[^\[\]\n]{1,200}\]:)
    | (?P<bare><[a-z][a-z0-9+.-]{1,20}:[^<>\s]{0,2000}>
             | (?<![^\W_])[a-z][a-z0-9+.-]{1,20}[:\uff1a][/\uff0f]{2}[^\s<>()\[\]]{0,2000}
             | (?<![^\W_])mailto:\S)
    | (?P<host>(?<![^\W_])www(?:\.[\w-]{1,63}){1,126}+|(?<=[\w.+-])@[\w-]{1,63}(?:\.[\w-]{1,63}){1,126}+)
    | (?P<domain>(?:(?<![\w/.@-])|(?<=//))(?:[\w-]{1,63}\.){1,126}+[^\W\d_][\w-]{1,62}(?=[/?\#:]))
    | (?P<tag><(?=[A-Za-z/!?]))
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
MAX_ANSWER = 40_000
"""Maximum number of characters read from an answer, about ten times the length of 1,000 tokens."""

_SOURCE = re.compile(r"\s*(?:Source|Quelle)\s?:", re.IGNORECASE)
_CODE_LANGUAGES = frozenset(("", *["python", "json", "sql", "bash", "sh", "yaml", "text", "c", "cpp", "java", "js"]))
"""Languages of code blocks that renderers show as text. Renderers turn some others, such as mermaid, into pictures."""
_OPENED = re.compile(r"^([ \t>*+\-\d.)]{0,200}+(?:`{3,}+(?=[^`\n]*$)|~{3,}+))([^\n]*)", re.MULTILINE)
"""Pattern for the start of a code block and its language, including in quotes and lists."""

_GUESSED = re.compile(r"(?<![\w.-])(?:[\w-]{1,63}\.){1,126}+[^\W\d_][\w-]{1,62}(?=[/?#:])", re.IGNORECASE)
"""Pattern for text that some renderers mistake for the host of a link, even without a scheme."""
_NUMBERS = re.compile(r"\[\s*+\^?\d[\d\s,;–-]*+\^?\s*+\]")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# The parser must accept every address, since renderers link some addresses that it refuses by default.
_PARSER.validateLink = lambda url: True  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class SanitizedText:
    """The sanitized text, and the numbers of removed pictures and links."""

    text: str
    pictures: int
    links: int


def sanitize_markdown(answer: str, pictures: Collection[str], addresses: Collection[str] = ()) -> SanitizedText:
    """Return the first MAX_ANSWER characters of the answer, keeping only pictures and links with exactly these
    addresses. If the result would still load anything else, return the entire text as plain text."""
    cleaner = _Cleaner(pictures, addresses)
    text = _OPENED.sub(_as_code, _PARTS.sub(cleaner.replace, clean(answer[:MAX_ANSWER]))).strip()
    if any(_fetches(token, pictures, addresses) for token in _inline(text)):
        text = _GUESSED.sub(_dots, as_text(clean(answer[:MAX_ANSWER]))).strip()
    return SanitizedText(text, cleaner.pictures, cleaner.links)


def allowed(offered: tuple[Source, ...]) -> tuple[set[str], set[str]]:
    """Return the picture addresses and the link addresses that an answer from these sources may contain."""
    blocks = (source.hit.block for source in offered if source.hit)
    pictures = {address(block.image_url) for block in blocks if block.block_type == "image"}
    urls = {source.observation.url or "" for source in offered if source.observation}
    return {url for url in pictures if url}, {url for url in urls if url.startswith(("https://", "http://"))}


@dataclass(slots=True)
class _Cleaner:
    allowed_pictures: Collection[str]
    allowed_addresses: Collection[str]
    pictures: int = 0
    links: int = 0

    def replace(self, match: re.Match[str]) -> str:
        """Return the safe replacement for a match of `_PARTS`."""
        if match.lastgroup == "link":
            return self._link(match)
        if match.lastgroup == "bare":
            address = match[0].strip("<>").rstrip(".,;:!?")
            if address in self.allowed_addresses:
                return match[0]
            self.links += 1
            return _broken(match[0])
        if match.lastgroup == "host" or (match.lastgroup == "domain" and match.string[match.end()] in "/?"):
            self.links += 1
        change = _CHANGES.get(match.lastgroup or "")
        return change(match[0]) if change else match[0]

    def _link(self, match: re.Match[str]) -> str:
        address = match["angled"] or match["plain"] or ""
        if match["bang"]:
            if address in self.allowed_pictures:
                return f"![{match['label']}]({address})"
            self.pictures += 1
            return ""
        if address in self.allowed_addresses:
            return f"[{match['label']}]({address})"
        self.links += 1
        return _link_text(match["label"])


def _link_text(label: str) -> str:
    """Return the text of a removed link. A citation in it remains a citation."""
    if _NUMBERS.fullmatch(f"[{label}]"):
        return f"[{label}]"
    return f"({label})" if _SOURCE.match(label) else label


_CHANGES: dict[str, Callable[[str], str]] = {
    "reference": lambda text: text if _NUMBERS.match(text) else text.replace("[", "\\["),
    "definition": lambda text: text[:-1] + "\\:",
    "note": lambda text: "",
    "raised": lambda text: f"[{text[5:-6].strip(' []')}]",
    "domain": lambda text: text.replace(".", "\\."),
    "host": lambda text: text.replace(".", "\\.").replace("@", "\\@"),
    "tag": lambda text: "\\<",
}
"""Replacement function for each kind of part. Escaped text stays unchanged."""


def _broken(address: str) -> str:
    """Return the address escaped, so that no renderer turns it or its host into a link."""
    return address.replace("<", "\\<", 1).replace(":", "\\:", 1).replace("\uff1a", "\\:", 1).replace(".", "\\.")


def _as_code(match: re.Match[str]) -> str:
    return match[0] if match[2].strip() in _CODE_LANGUAGES else match[1]


def _dots(host: re.Match[str]) -> str:
    return host[0].replace(".", "\\.")


def _inline(text: str) -> Iterator[Token]:
    for token in _PARSER.parse(text):
        yield token
        yield from token.children or ()


def _fetches(token: Token, pictures: Collection[str], addresses: Collection[str]) -> bool:
    if token.type in ("html_block", "html_inline"):
        return True
    if token.type == "fence" and token.info.strip() not in _CODE_LANGUAGES:
        return True
    if token.type == "image":
        return str(token.attrGet("src")) not in _as_parsed(pictures)
    return token.type == "link_open" and str(token.attrGet("href")) not in _as_parsed(addresses)


def _as_parsed(addresses: Collection[str]) -> set[str]:
    return {_PARSER.normalizeLink(url) for url in addresses}
