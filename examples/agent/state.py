"""What a session knows, in one JSON file of the work_dir under `rag.*`: a run that was killed goes on from there."""

from __future__ import annotations

import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

NEW: dict[str, Any] = {
    "rag.mission": "",
    "rag.user_context": {},
    "rag.messages": [],
    "rag.todolist": {},
    "rag.search_history": [],
    "rag.sources": {},  # block_id -> the citation that the server gave it
    "rag.answer_sources": [],  # block_ids of the last synthesis, [1] first
    "rag.answer": None,
}


class SessionUnusable(ValueError):
    """The text says which file or name, and what to do."""


class Session:
    """Indexed by key. `save` replaces the file at once, so that a kill leaves the state before or the one after. The
    file is for its owner alone: it holds passages that others may not be allowed to read."""

    def __init__(self, work_dir: Path, session_id: str) -> None:
        if not re.fullmatch(r"[\w.-]{1,100}", session_id) or session_id.startswith("."):
            raise SessionUnusable(f"{session_id!r} is no session_id. Use letters, digits, '-', '_' and '.'.")
        self._file = work_dir / f"{session_id}.json"
        saved = _saved(self._file)
        self.is_new = not saved
        self._state: dict[str, Any] = json.loads(json.dumps(NEW)) | saved

    def __getitem__(self, key: str) -> Any:
        return self._state[f"rag.{key}"]

    def __setitem__(self, key: str, value: Any) -> None:
        self._state[f"rag.{key}"] = value

    def say(self, message: dict[str, Any]) -> None:
        """Add to the conversation, and keep it."""
        self["messages"].append(message)
        self.save()

    def save(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # A name that nobody can have made a link of, readable by its owner alone.
        number, beside = tempfile.mkstemp(prefix=".", suffix=".new", dir=self._file.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(self._state, file, ensure_ascii=False, indent=1)
            os.replace(beside, self._file)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise


def _saved(file: Path) -> dict[str, Any]:
    """What the file holds; nothing where there is none. Raises SessionUnusable for what no session has written."""
    try:
        saved = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SessionUnusable(f"{file} cannot be read: {error.strerror}. Take another work_dir.") from error
    except (ValueError, RecursionError):
        saved = None
    if not isinstance(saved, dict):
        raise SessionUnusable(f"{file} is no JSON object, so no session. Move it away, or take another session_id.")
    if wrong := [name for name, value in saved.items() if not _fits(name, value)]:
        raise SessionUnusable(
            f"{file} holds no session: {wrong[0]} is not as one was saved. Move it away, or take another session_id."
        )
    return saved


def _fits(name: str, value: object) -> bool:
    """Whether it is of the kind that a session saves under the name."""
    if name == "rag.answer":
        return value is None or isinstance(value, dict)
    if name == "rag.messages":
        return isinstance(value, list) and all(isinstance(one, dict) and "role" in one for one in value)
    return name not in NEW or isinstance(value, type(NEW[name]))
