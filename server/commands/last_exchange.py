"""`ibid ask --continue`: store the last questions and answers in the data folder, for an hour and for one caller."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path

from corpus.access import Caller
from corpus.synthesis.request import Turn

FILE = "last-answer.json"
KEPT_SECONDS = 3600.0
"""Seconds for which an exchange can be continued. Most follow-up questions come within minutes; an hour allows for a
meeting in between."""
MAX_TURNS = 6
"""Maximum number of turns: three questions with their answers, because a follow-up question rarely depends on earlier
ones."""
MAX_LENGTH = 8_000
"""Maximum length of a turn, in characters."""


def stored_turns(folder: Path, caller: Caller) -> tuple[Turn, ...]:
    """Return this caller's last questions and their answers, or nothing if they are too old or belong to another
    caller."""
    try:
        record = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if record["caller"] != _digest(caller) or not 0 <= time.time() - record["time"] <= KEPT_SECONDS:
            return ()
        return tuple(Turn(role, str(text)) for role, text in record["turns"] if role in ("user", "assistant"))
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def store_turns(folder: Path, caller: Caller, turns: Sequence[Turn]) -> None:
    """Store the turns, and replace the stored ones. If the folder is not writable, store nothing."""
    record = {
        "time": time.time(),
        "caller": _digest(caller),
        "turns": [(turn.role, turn.text[:MAX_LENGTH]) for turn in turns[-MAX_TURNS:]],
    }
    file = folder / FILE
    new = folder / f".{FILE}-{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(record, out)
        os.replace(new, file)
    with suppress(OSError):
        new.unlink(missing_ok=True)


def forget_turns(folder: Path) -> None:
    """Delete the turns, since they may quote a removed document."""
    with suppress(OSError):
        (folder / FILE).unlink(missing_ok=True)


def _digest(caller: Caller) -> str:
    """Return a digest of the caller. It ties the turns to this caller, because answers may contain text that only they
    may read."""
    who = json.dumps(asdict(caller) | {"groups": sorted(caller.groups)}, sort_keys=True, default=str)
    return blake2b(who.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
