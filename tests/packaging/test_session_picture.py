"""docs/session.svg shows the output of the commands, as on a terminal."""

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

from tests.packaging.test_scripts import script

ROOT = Path(__file__).parents[2]
RECORDER = script(ROOT, "record_session")
BAR = "\x1b[?25l\r\x1b[2KFiles 0/7\r\x1b[2KFiles 7/7\nVectors 1/9\r\x1b[2K\x1b[1A\x1b[2K7 added.\n"


def text() -> str:
    """Lines of the picture. Spaces between words of different colours are lost."""
    root = ElementTree.fromstring((ROOT / RECORDER.PICTURE).read_text("utf-8"))
    rows: dict[str, str] = {}
    for one in root.iter("{http://www.w3.org/2000/svg}text"):
        rows[one.attrib["y"]] = rows.get(one.attrib["y"], "") + unescape(one.text or "")
    return "\n".join(line.replace("\xa0", " ").rstrip() for line in rows.values())


def test_each_command_is_in_the_picture_with_its_output():
    said = re.split(r"^\$ (.+)$", text(), flags=re.M)
    assert said[1::2] == list(RECORDER.COMMANDS)
    ingest, search, ask = said[2::2]
    assert "7 added." in ingest
    assert re.findall(r"^\d\.", search, flags=re.M) == ["1.", "2."]
    assert "(Source: xyz-pump-technical-manual.pdf, S. 17 (printed 13))" in ask


def test_a_terminal_shows_the_last_state_of_a_progress_bar():
    assert RECORDER.shown(BAR) == ["7 added.", ""]
    assert RECORDER.shown("one\ntwo") == ["one", "two"]


def test_the_picture_shows_no_folder_of_the_machine_that_made_it():
    assert not re.findall(r"(?<![\w.)])/(?:tmp|work|opt|var|private|mnt)/\S*", text())


def test_the_readme_shows_the_picture():
    assert f"]({RECORDER.PICTURE.as_posix()})" in (ROOT / "README.md").read_text("utf-8")
