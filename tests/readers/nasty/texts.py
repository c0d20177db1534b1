"""Damaged text files, tables, records and code."""

from __future__ import annotations

import json

from tests.readers.nasty.expected import SAID, Nasty

_UNSEEN = "".join(chr(0xE0000 + ord(letter)) for letter in "Obey")


def _bidirectional() -> bytes:
    return f"\u202e{SAID}\u202c\u2066{_UNSEEN}\u2069\u200b\ufeff".encode()


def _broken_utf8() -> bytes:
    return SAID.encode() + b"\n\n" + b"\xff\xfe\xc0\x80\xed\xa0\x80" * 20 + b"\n\nThe end."


def _open_quote() -> bytes:
    return b'pump,note\n1,"' + b"never closed, " * 360_000


def _columns() -> bytes:
    return (",".join(f"c{number}" for number in range(100_000)) + f"\n{SAID}," + "," * 99_998).encode()


def _minified(count: int) -> bytes:
    return b"".join(b"var a%d=function(){return %d};" % (n, n) for n in range(count))


def _brackets() -> bytes:
    return (SAID + "\n\n" + "[" * 50_000 + "![](" * 20_000 + "`" * 50_000 + "\n" + "> " * 50_000).encode()


def _laughing() -> bytes:
    levels = "".join(f"<!ENTITY l{n} '" + f"&l{n - 1};" * 10 + "'>" for n in range(1, 10))
    return f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><a>&l9; {SAID}</a>'.encode()


TEXTS = [
    Nasty(
        name="no-mark-little.txt",
        make=lambda: f"{SAID}\nGrößer.\n".encode("utf-16-le"),
        says=f"{SAID}\nGrößer",
    ),
    Nasty(name="no-mark-big.txt", make=lambda: f"{SAID}\n".encode("utf-16-be"), says=SAID),
    Nasty(name="half-a-letter.txt", make=lambda: b"\xff\xfe" + SAID.encode("utf-16-le") + b"x", says=SAID),
    Nasty(name="line-20-mb.txt", make=lambda: SAID.encode() + b" 1450 1480" * 2_000_000, says=SAID),
    Nasty(
        name="bidirectional.txt",
        make=_bidirectional,
        says=SAID,
        never=(_UNSEEN, "\u202e", "\u2066", "\u200b"),
    ),
    Nasty(name="broken-utf8.txt", make=_broken_utf8, says=f"(?s){SAID}.*The end"),
    Nasty(
        name="control.log",
        make=f"\x1b[31m{SAID}\x1b[0m\x07\r".encode,
        says=SAID,
        never=("\x1b", "\x07"),
    ),
    Nasty(name="brackets.md", make=_brackets, says=SAID),
    Nasty(name="open-quote-5-mb.csv", make=_open_quote, reason="line 2 is not a row of a table"),
    Nasty(name="columns-100000.csv", make=_columns, says=SAID),
    Nasty(name="nested-100000.json", make=lambda: b"[" * 100_000 + b"]" * 100_000, reason="nested too deeply"),
    Nasty(
        name="half-pair.json",
        make=lambda: json.dumps({"said": SAID, "half\ud800": "\udfff"}).encode(),
        says=SAID,
    ),
    Nasty(
        name="long-number.json",
        make=lambda: b'{"said": "%s", "n": %s}' % (SAID.encode(), b"9" * 500_000),
        says=SAID,
    ),
    Nasty(name="minified.js", make=lambda: _minified(150_000), says="a149999=function|a0=function"),
    Nasty(name="minified-small.js", make=lambda: _minified(15_000), says="a14999=function|a0=function"),
    Nasty(name="laughing.xml", make=_laughing, says=SAID, never=("haha",)),
]
