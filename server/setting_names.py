"""Wrong names and values of settings, in words that tell the cure."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "RAG_"
NEAR = 0.85
"""Likeness, 0..1, from which a name is taken for a misspelled one."""


def check_names(environment: Iterable[str], known: Iterable[str]) -> None:
    """Warn of unknown RAG_ names on standard error. Raises NotConfigured for one that nearly matches a known one."""
    names = [name for name in known if name.startswith(PREFIX)]
    for name in sorted(environment):
        if not name.upper().startswith(PREFIX) or name in names:
            continue
        if near := near_match(name, names):
            raise NotConfigured(f"{name} is not a setting. Did you mean {near}? Rename it, or take it away.")
        sys.stderr.write(f"Warning: {name} is not a setting of this version of Ibid and does nothing.\n")


def near_match(name: str, known: Iterable[str]) -> str | None:
    # Without the common prefix: it would make every two names look alike.
    tails = {one.removeprefix(PREFIX): one for one in known}
    found = difflib.get_close_matches(name.upper().removeprefix(PREFIX), tails, n=1, cutoff=NEAR)
    return tails[found[0]] if found else None


def problem(error: ErrorDetails) -> str:
    """One sentence for one wrong value. A value that may be a secret is never repeated."""
    name = str(error["loc"][0])
    if error["type"] == "value_error":
        return f"{name} {error['ctx']['error']}."
    return (
        f"{name} is {str(error['input'])[:60]!r}. {_cure(error['type'], error.get('ctx', {}), error['msg'])}"
    )


def _cure(kind: str, facts: Mapping[str, object], message: str) -> str:
    if kind == "literal_error":
        return f"Set it to one of: {facts['expected']}."
    if kind.startswith("bool"):
        return "Set it to true or false."
    return f"{message}."
