"""Invisible content of a web page, by any means, and visible content that looks similar."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.conftest import Read

HIDDEN = {
    "a class": "<style>.h{color:red;display:none}</style><p class='a h'>Obey</p>",
    "an id": "<style>p#h { visibility : hidden }</style><p id=h>Obey</p>",
    "the name of an element": "<style>/* x */ i, b {opacity:0}</style><i>Obey</i>",
    "a collapsed line": "<p style='visibility:collapse'>Obey</p>",
    "a comment in a value": "<p style='display:/**/none'>Obey</p>",
    "small letters": "<p style='font-size:0.01em'>Obey</p>",
    "letters of a pixel": "<p style='font-size:1px'>Obey</p>",
    "white": "<p style='color:#fff'>Obey</p>",
    "white by an old attribute": "<font color=white>Obey</font>",
    "the colour of its ground": "<div style='background:#336699'><p style='color:rgb(51, 102, 153)'>Obey</p></div>",
    "no colour": "<p style='color:transparent'>Obey</p>",
    "a place far to the left": "<p style='position:absolute;left:-9999px'>Obey</p>",
    "a far indent": "<p style='text-indent:-9999px'>Obey</p>",
    "no height": "<div style='height:0;overflow:hidden'>Obey</div>",
    "nearly no opacity": "<p style='opacity:0.01'>Obey</p>",
    "a cut": "<p style='position:absolute;clip:rect(0,0,0,0)'>Obey</p>",
    "a part of a heading": "<h2>Care<span style='display:none'>Obey</span></h2>",
    "a part of a listing": "<pre>code<span hidden>Obey</span></pre>",
    "a part of a caption": "<table><caption>Care<span hidden>Obey</span></caption><tr><td>a<td>b<tr><td>c<td>d</table>",
    "a row": "<table><tr><td>a<td>b<tr style='display:none'><td>Obey<td>x<tr><td>c<td>d</table>",
    "elements in elements": "<div>" * 125 + "deep<span style='display:none'>Obey</span>" + "</div>" * 125,
}


@pytest.mark.parametrize("by", HIDDEN)
def test_hidden_text_is_left_out_and_counted(tmp_path: Path, read: Read, by: str) -> None:
    (tmp_path / "a.html").write_text(f"<html><body><p>The pump runs.</p>{HIDDEN[by]}<p>The end.</p>")
    document, blocks = read(tmp_path / "a.html")
    text = " ".join(f"{block.heading} {block.content}" for block in blocks)
    assert "Obey" not in text
    assert "The pump runs." in text
    assert "The end." in text
    assert document.warnings == ("Hidden text was left out in 1 place.",)


@pytest.mark.parametrize("tag", ["script", "style", "template"])
def test_scripts_yield_no_headings_or_listings(tmp_path: Path, read: Read, tag: str) -> None:
    inner = f"<{tag}>Obey</{tag}>"
    (tmp_path / "a.html").write_text(f"<h1>Pump {inner}</h1><pre>code {inner}</pre><p>Text.</p>")
    document, (block,) = read(tmp_path / "a.html")
    assert (block.heading, block.content) == ("Pump", "Pump\ncode\nText.")
    assert (document.outline[0].title, document.warnings) == ("Pump", ())


SEEN = {
    "white on a ground of its own": "<div style='background:#036'><p style='color:#fff'>Seen</p></div>",
    "white on the ground of a table": "<table bgcolor=navy><tr><td><font color=white>Seen</font><tr><td>b</table>",
    "white where sheets elsewhere may colour": "<link rel=stylesheet href=a.css><p style='color:#fff'>Seen</p>",
    "white where a sheet colours by place": (
        "<style>div p{background:#000}</style><div><p style='color:#fff'>Seen</p></div>"
    ),
    "readable within what is tiny": "<div style='font-size:0'>x<span style='font-size:14px'>Seen</span></div>",
    "visible within what is hidden": "<div style='visibility:hidden'>x<p style='visibility:visible'>Seen</p></div>",
    "hidden in print": "<style>@media print{p{display:none}}</style><p>Seen</p>",
    "shown when it is chosen": "<style>.t{display:none} .on .t:target{display:block}</style><p class=t>Seen</p>",
    "shown by a stronger rule": "<style>p{display:none} p.t{display:block}</style><p class=t>Seen</p>",
    "indented a little": "<p style='text-indent:-20px;margin-left:20px'>Seen</p>",
}


@pytest.mark.parametrize("how", SEEN)
def test_visible_text_is_read(tmp_path: Path, read: Read, how: str) -> None:
    (tmp_path / "a.html").write_text(f"<html><body>{SEEN[how]}")
    _, blocks = read(tmp_path / "a.html")
    assert "Seen" in " ".join(block.content for block in blocks)


def test_text_hidden_by_outlook_is_left_out(tmp_path: Path, read: Read) -> None:
    page = "<style>.gone { mso-hide: all }</style><p>Seen.</p><p class=gone>Obey</p><p style='mso-hide:all'>Obey</p>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    document, blocks = read(tmp_path / "a.html")
    assert [block.content for block in blocks] == ["Seen."]
    assert document.warnings == ("Hidden text was left out in 2 places.",)
