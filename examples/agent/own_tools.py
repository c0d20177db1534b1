"""The two tools that are the agent's own and not the server's: its plan, and a question to its user."""

from __future__ import annotations

from typing import Any

CLASSES = ["LISTING", "CONTENT_SEARCH", "DOCUMENT_SUMMARY", "METADATA_SEARCH", "COMPARISON"]
TEXT = {"type": "string"}


def function(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """A tool as the model is told of it."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


PLAN = function(
    "plan",
    "Say how you classify the mission and which steps you take. Call it first, and again when the plan changes.",
    {
        "type": "object",
        "properties": {
            "query_class": {"enum": CLASSES},
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"description": TEXT, "tool": TEXT, "acceptance": TEXT},
                    "required": ["description", "acceptance"],
                },
            },
        },
        "required": ["query_class", "steps"],
    },
)
ASK_USER = function(
    "ask_user",
    "Ask the user for the one thing that would change the answer, with numbered options where there are some.",
    {
        "type": "object",
        "properties": {"question": TEXT, "options": {"type": "array", "items": TEXT}},
        "required": ["question"],
    },
)
EXTRA_INSTRUCTIONS = (
    "You have two tools of this agent beside those of the server: `plan`, which you call first, and `ask_user`. Your "
    "text without a call of a tool is your final answer; it is then checked against its sources."
)
