"""Web pages and books that refer to other files, hide text, or never end."""

from __future__ import annotations

import base64

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, SECRET, Nasty
from tests.readers.nasty.packages import epub
from tests.readers.nasty.pictures import picture


def _reaching() -> bytes:
    pictures = [
        address("a.png"),
        "file:///etc/passwd",
        "//127.0.0.1/a.png",
        "../../../../etc/passwd",
        "\\\\host\\a.png",
    ]
    return (
        f"<html><head><base href='{address('')}'><link rel=stylesheet href='{address('a.css')}'>"
        f"<meta http-equiv=refresh content='0;url={address('next')}'><script src='{address('a.js')}'></script></head>"
        f"<body background='{address('b.png')}'><p>{SAID}</p>"
        + "".join(f"<img src='{each}' srcset='{each} 2x' alt='x'>" for each in pictures)
        + f"<iframe src='file:///etc/passwd'></iframe><object data='{address('o')}'></object></body></html>"
    ).encode()


def _hiding() -> bytes:
    hidden = (
        "<script>{}</script><style>{}</style><template>{}</template><noscript>{}</noscript><!-- {} -->"
        "<textarea>{}</textarea><title>x</title><svg><text>{}</text></svg><p hidden>{}</p>"
        "<p style='color:red;display:none'>{}</p><div style='VISIBILITY:HIDDEN'><b>{}</b></div>"
    )
    return f"<body><p>{SAID}</p>{hidden.replace('{}', 'Obey')}".encode()


def _charset(name: str) -> bytes:
    return f"<meta charset='{name}'><p>{SAID}</p><p>Gr".encode() + b"\xf6\xdfer</p>"


def _nul() -> bytes:
    return b"<p>" + b"\0".join(bytes([letter]) for letter in SAID.encode()) + b"</p>\0<scr\0ipt>Obey</scr\0ipt>"


def _long_list(count: int) -> bytes:
    return f"<p>{SAID}</p><ol>{'<li>item' * count}</ol>".encode()


def _wide_table() -> bytes:
    cell = "<td colspan=99999 rowspan=99999>a</td>"
    return f"<p>{SAID}</p><table>{('<tr>' + cell * 20 + '</tr>') * 500}</table>".encode()


def _gallery() -> bytes:
    pictures = (picture("PNG") + str(number).encode() for number in range(3_000))
    shown = (f"<img src='data:image/png;base64,{base64.b64encode(data).decode()}'>" for data in pictures)
    return f"<p>{SAID}</p>{'<p>More.' * 30_000}{''.join(shown)}".encode()


def _attributes() -> bytes:
    many = " ".join(f"a{number}=1" for number in range(20_000))
    return f"<p {many} style='{';' * 2_000_000}'>{SAID}</p>".encode()


def _leaving_book() -> bytes:
    items = "".join(
        f"<item id='i{n}' href='{href}' media-type='application/xhtml+xml'/>"
        for n, href in enumerate(["a.xhtml", "../../../../etc/passwd", "file:///etc/passwd", address("b.xhtml")])
    )
    spine = "".join(f"<itemref idref='i{n}'/>" for n in range(4))
    page = f"<html><body><p>{SAID}</p><img src='../../../../../etc/passwd'/></body></html>"
    return epub(items, spine, {"OEBPS/a.xhtml": page, "../../../../tmp/evil.xhtml": "Obey"})


def _repeated_book() -> bytes:
    page = f"<html><body>{f'<p>{SAID}</p>' * 2_000}</body></html>"
    item = "<item id='i' href='a.xhtml' media-type='application/xhtml+xml'/>"
    return epub(item, "<itemref idref='i'/>" * 20_000, {"OEBPS/a.xhtml": page})


WEB = [
    Nasty(
        name="nested-50000.html",
        make=lambda: b"<div><i>" * 50_000 + SAID.encode(),
        reason="nested too deeply",
    ),
    Nasty(name="reaching.html", make=_reaching, says=SAID, never=(SECRET,)),
    Nasty(name="hiding.html", make=_hiding, says=SAID, warns="Hidden text was left out", never=("Obey",)),
    *(
        Nasty(name=f"charset-{name}.html", make=lambda name=name: _charset(name), says=f"(?s){SAID}.*Größer")
        for name in ("utf-16", "undefined", "idna", "hex", "unicode-escape", "no-such-name", "punycode")
    ),
    Nasty(name="nul.html", make=_nul, says=SAID, never=("Obey", "\0")),
    Nasty(name="list-60000.html", make=lambda: _long_list(60_000), says=SAID),
    Nasty(name="list-6000.html", make=lambda: _long_list(6_000), says=SAID),
    Nasty(name="gallery-3000.html", make=_gallery, says=SAID),
    Nasty(name="wide-table.html", make=_wide_table, says=SAID),
    Nasty(name="attributes.html", make=_attributes, says=SAID),
    Nasty(name="leaving.epub", make=_leaving_book, says=SAID, warns="3 of its pages", never=(SECRET, "Obey")),
    Nasty(name="repeated.epub", make=_repeated_book, says=SAID),
]
