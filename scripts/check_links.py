"""Check that every relative link and every anchor in the repository's Markdown has a target. It does not use the
network."""

import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

_FENCED = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2[`~]* *$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_INLINE = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_DEFINED = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_NAMED = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
# Markdown that is data: a prompt for a model, a sample document, or the input of a test.
_NOT_PAGES = re.compile(r"prompts/(?!README)|examples/(make_)?documents/|tests/")
_ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def main(root: Path) -> int:
    """Print the dead links. Return 1 if there are any."""
    dead = [f"{page.relative_to(root)}: {link}" for page in pages(root) for link in dead_links(page)]
    print("\n".join(dead) if dead else "links: all lead somewhere")
    return 1 if dead else 0


def pages(root: Path) -> Iterator[Path]:
    """Yield the Markdown files that git tracks or would add."""
    listed = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    return (root / name for name in names if (root / name).is_file() and not _NOT_PAGES.match(name))


def dead_links(page: Path) -> list[str]:
    return [link for link in links(without_code(page)) if not leads_somewhere(page, link)]


def links(text: str) -> list[str]:
    """Return the link targets inside the repository: inline links, then link definitions."""
    found = [*_INLINE.findall(text), *_DEFINED.findall(text)]
    return [link for link in found if not _ELSEWHERE.match(link)]


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors that a forge generates for the headings; repeated headings get -1, -2, ..."""
    text = without_code(page, inline=False)
    seen: Counter[str] = Counter()
    names = set(_NAMED.findall(text))
    for heading in _HEADING.findall(text):
        name = slug(heading)
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frozenset(names)


def slug(heading: str) -> str:
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    kept = "".join(sign for sign in shown if sign in " -_" or unicodedata.category(sign)[0] in "LN")
    return kept.replace(" ", "-")


@cache
def without_code(page: Path, *, inline: bool = True) -> str:
    """Return the text without code, because links in code are examples."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return _CODE.sub("", text) if inline else text


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
