"""Declare settings, and explain wrong names and values with the cure."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


LOOPBACK = ("127.0.0.1", "localhost", "::1")


class SettingsPart(BaseSettings):
    """Settings of one subject. Only all of them together are ever read, so that no validator is made of a part."""

    model_config = SettingsConfigDict(defer_build=True)


def variable(name: str, default: Any, description: str) -> Any:
    """A field that is read from the environment variable `name`."""
    return Field(default=default, validation_alias=name, description=description)


def address(value: str, *, path: bool = False, example: str = "https://HOST") -> str:
    """The address without a slash at its end. Raises ValueError where no key may be sent to it: it takes https, or
    http on this machine. `example` is what the error shows; the address is not repeated, which may hold a secret."""
    value = value.strip().rstrip("/")
    if why := _unusable(value, path=path):
        more = "query" if path else "path"
        raise ValueError(
            f"is no usable address: {why}. Write it as {example}, without user, {more} or spaces"
        )
    return value


def _unusable(value: str, *, path: bool) -> str:
    """What is wrong with an address; empty where nothing is."""
    if "://" not in value:
        return "it does not begin with https://" + (
            "" if "." in value else ", and is no whole name of a host"
        )
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it cannot be read"
    local = parts.scheme == "http" and host in LOOPBACK
    faults = {
        "it has a space in it": any(map(str.isspace, value)),
        "it has no host": not host,
        "it has a user in it": names_user(parts),
        "it is not https": parts.scheme != "https" and not local,
        "it has a query in it": bool(parts.query or parts.fragment),
        "it has a path after the host": bool(parts.path) and not path,
    }
    return next((one for one, there in faults.items() if there), "")


def names_user(parts: SplitResult) -> bool:
    """Whether an address has a user in it, also one without a name before a password."""
    return "@" in parts.netloc


def container_address(value: str) -> str:
    """The address of a container, its signature kept. Raises ValueError that repeats neither."""
    value = value.strip()
    bare, _, signature = value.partition("?")
    plain = address(bare, path=True)
    if any(map(str.isspace, signature)) or not urlsplit(plain).path.strip("/"):
        raise ValueError(
            "is no address of a container. Write it as https://ACCOUNT.blob.core.windows.net/CONTAINER"
        )
    return f"{plain}?{signature}" if signature else plain


def key(value: SecretStr | None) -> SecretStr | None:
    """The key without space around it, as a file or a paste brings it. Raises ValueError for one that no header can
    carry; its text is not repeated."""
    if value is None:
        return None
    text = value.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable():
        raise ValueError("is no key: it is empty, or holds a line break or another character that no key has")
    return SecretStr(text)


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
                f"{escaped_name(name)} is not a setting. Did you mean {near}? Rename it, or take it away."
            )
        of_search = azure and name.upper().startswith(SEARCH_PREFIXES)
        meant = _called_here(name) if of_search else _meant(name, names)
        if meant and meant not in names_set:
            raise NotConfigured(
                f"{escaped_name(name)} is not a setting. Did you mean {meant}? Rename it; if another program needs it, "
                f"set {meant} beside it."
            )
        if of_search or name.upper().startswith(PREFIX):
            sys.stderr.write(
                f"Warning: {escaped_name(name)} is not a setting of this version of Ibid and does nothing.\n"
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


def escaped_name(name: str) -> str:
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
