"""Values of claims as names in access lists: what a stranger may choose must not pass for anything else."""

from __future__ import annotations

from corpus.access import KINDS, PUBLIC, is_holdable
from corpus.text.normalization import clean

LONGEST = 256
"""Letters of one name."""
_KINDS = tuple(f"{kind}:" for kind in KINDS)


def fault(name: object) -> str:
    """Why that value cannot be the name of a user, a group, a department or an organisation; empty where it can.

    A name that begins like one with its kind, `user:ann`, would be that user in an index whose lists hold plain names.
    """
    if not isinstance(name, str):
        return "it is no text"
    if not name.strip():
        return "it is empty"
    faults = {
        "it is too long": len(name) > LONGEST,
        "it stands for everybody": name.strip() == PUBLIC,
        "it begins with a kind of principal": name.strip().lower().startswith(_KINDS),
        "it has space around it": name != name.strip(),
        "it holds characters that nobody sees": (
            not is_holdable(name) or clean(name) != name or any(letter in name for letter in "\n\r\t")
        ),
    }
    return next((why for why, there in faults.items() if there), "")
