"""What a run tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    THOUGHT = "thought"  # text: what the model says beside its calls; todolist: a plan, new or changed
    ACTION = "action"  # tool, input
    TOOL_RESULT = "tool_result"  # tool, success, result
    ASK_USER = "ask_user"  # question, options; waits: whether the run ended to be taken up with the answer
    COMPLETE = "complete"  # answer, todolist, verification, refused
    ERROR = "error"  # message; the session is kept, and the same session_id takes it up again


@dataclass(frozen=True, slots=True)
class Event:
    type: EventType
    data: dict[str, Any] = field(default_factory=dict)
