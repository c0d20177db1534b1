"""RTF texts that are nested, hide objects, or use meaningless control words."""

from __future__ import annotations

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, Nasty


def _groups() -> bytes:
    return b"{\\rtf1 " + b"{" * 100_000 + SAID.encode() + b"}" * 100_001


def _objects() -> bytes:
    thing = b"{\\object\\objemb{\\*\\objdata " + b"d0cf11e0" * 300_000 + b"}{\\result Obey}}"
    field = b'{\\field{\\*\\fldinst INCLUDEPICTURE "%s"}{\\fldrslt shown}}' % address("r.png").encode()
    return b"{\\rtf1 " + SAID.encode() + thing + field + b"}"


def _odd_words() -> bytes:
    words = b"\\u-99999?\\u1114112?\\uc99999\\'zz\\bin99999999 \\ansicpg99999\\fcharset999"
    return b"{\\rtf1\\ansi " + SAID.encode() + words + b"}"


RTF = [
    Nasty(name="groups-100000.rtf", make=_groups, says=SAID),
    Nasty(name="objects.rtf", make=_objects, says=SAID, never=("d0cf11e0", "INCLUDEPICTURE")),
    Nasty(name="odd-words.rtf", make=_odd_words, reason="damaged: it cannot be read as an RTF"),
]
