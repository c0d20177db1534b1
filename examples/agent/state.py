"""What a session knows, in one JSON file of the work_dir under `rag.*`: a run that was killed goes on from there."""

from __future__ import annotations

import json
import os
import re
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


class Session:
    """Indexed by key. `save` replaces the file at once, so that a kill leaves the state before or the one after."""

    def __init__(self, work_dir: Path, session_id: str) -> None:
        if not re.fullmatch(r"[\w.-]{1,100}", session_id) or session_id.startswith("."):
            raise ValueError(f"{session_id!r} is no session_id. Use letters, digits, '-', '_' and '.'.")
        self._file = work_dir / f"{session_id}.json"
        saved = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else {}
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
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(self._state, ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(beside, self._file)
