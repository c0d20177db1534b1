"""Explain wrong names and values of settings, with the cure."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "RAG_"
SHARED_PREFIX = "AZURE_"
"""Other programs have settings that start so; only a misspelled one of ours is of interest."""
NEAR, NEAR_AS_A_WHOLE = 0.85, 0.93
"""Likeness, 0..1, from which a name is taken for a misspelled one: of what follows the prefix, and of all of it."""
_BOUNDS = {
    "greater_than": ("a number above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("a number below", "lt"),
    "less_than_equal": ("at most", "le"),
}
SEARCH_PREFIXES = ("AZURE_SEARCH_", "AZURE_AI_SEARCH_")
CALLED_ELSEWHERE = {
    **dict.fromkeys(
        ("KEY", "ADMIN_KEY", "QUERY_KEY", "SERVICE_KEY", "ADMIN_API_KEY", "SERVICE_ADMIN_KEY", "PRIMARY_KEY"),
        "AZURE_SEARCH_API_KEY",
    ),
    **dict.fromkeys(
        ("SERVICE", "SERVICE_NAME", "SERVICE_ENDPOINT", "SERVICE_URL", "NAME", "HOST", "URL", "URI"),
        "AZURE_SEARCH_ENDPOINT",
    ),
    **dict.fromkeys(("INDEX", "INDEX_NAME"), "AZURE_SEARCH_CONTENT_INDEX"),
}
"""What other programs call the same thing, without the prefix, and what it is called here."""
WHO_ASKS = {
    **dict.fromkeys(("USERNAME", "USER_NAME"), "RAG_USER_ID"),
    **dict.fromkeys(("DEPT", "DEP"), "RAG_DEPARTMENT"),
    **dict.fromkeys(("ORGANISATION", "ORGANIZATION"), "RAG_ORG_ID"),
}
"""The same of names with our own prefix, for what would leave somebody without their rights."""


def check_names(environment: Iterable[str], known: Iterable[str], *, azure: bool = False) -> None:
    """Warn of unknown RAG_ names on standard error. Raises NotConfigured for one that nearly matches a known one, be
    it of Ibid or of its Azure service, and for one that is a part of a single known one, unless that is set beside it.
    `environment` are the names of variables that are not empty. `azure` says that the service is going to be asked:
    then its other names count as well."""
    names_set, names = set(environment), list(known)
    for name in sorted(names_set.difference(names)):
        if name.upper().startswith((PREFIX, SHARED_PREFIX)) and (near := near_match(name, names)):
            raise NotConfigured(
                f"{shown(name)} is not a setting. Did you mean {near}? Rename it, or take it away."
            )
        of_search = azure and name.upper().startswith(SEARCH_PREFIXES)
        meant = _called_here(name) if of_search else _meant(name, names)
        if meant and meant not in names_set:
            raise NotConfigured(
                f"{shown(name)} is not a setting. Did you mean {meant}? Rename it; if another program needs it, "
                f"set {meant} beside it."
            )
        if of_search or name.upper().startswith(PREFIX):
            sys.stderr.write(
                f"Warning: {shown(name)} is not a setting of this version of Ibid and does nothing.\n"
            )


def _meant(name: str, known: Iterable[str]) -> str | None:
    """The one of ours that such a name begins or ends, word for word, or shortens."""
    if not name.upper().startswith(PREFIX):
        return None
    tail = name.upper().removeprefix(PREFIX)
    tails = [one.removeprefix(PREFIX) for one in known if one.startswith(PREFIX)]
    whole = [one for one in tails if one.startswith(f"{tail}_") or one.endswith(f"_{tail}")]
    return f"{PREFIX}{whole[0]}" if len(whole) == 1 else WHO_ASKS.get(tail)


def _called_here(name: str) -> str | None:
    prefix = next(one for one in SEARCH_PREFIXES if name.upper().startswith(one))
    return CALLED_ELSEWHERE.get(name.upper().removeprefix(prefix))


def shown(name: str) -> str:
    """The name of a variable, which may hold anything, in characters that a terminal does not obey."""
    return ascii(name)[1:-1]


def near_match(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one most likely misspells; None where none is near enough."""
    if name.upper().startswith(SHARED_PREFIX):
        return _near(name.upper(), [one for one in known if one.startswith(SHARED_PREFIX)])
    # Without the common prefix: it would make every two names look alike.
    tails = {one.removeprefix(PREFIX): one for one in known if one.startswith(PREFIX)}
    matches = difflib.get_close_matches(name.upper().removeprefix(PREFIX), tails, n=1, cutoff=NEAR)
    return tails[matches[0]] if matches else None


def _near(name: str, known: list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=NEAR_AS_A_WHOLE)), None)


def problem(error: ErrorDetails) -> str:
    """One sentence for one wrong value. A value that may be a secret is never repeated."""
    if not error["loc"]:  # several settings together; the sentence names them
        return f"{error['ctx']['error']}."
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
    if kind.startswith("int"):
        return "Set it to a whole number."
    if kind.startswith(("float", "finite")):
        return "Set it to a number."
    if kind in _BOUNDS:
        word, fact = _BOUNDS[kind]
        return f"Set it to {word} {facts[fact]}."
    return f"{message}."
