"""Declare settings, validate their values, and convert errors in names and values into messages with advice."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


LOOPBACK = ("127.0.0.1", "localhost", "::1")


class SettingsPart(BaseSettings):
    """Base class for the settings of one subject. Only their union is ever loaded, so the parts build no validator."""

    model_config = SettingsConfigDict(defer_build=True)


def variable(name: str, default: Any, description: str) -> Any:
    """Declare a field that is read from the environment variable `name`."""
    return Field(default=default, validation_alias=name, description=description)


def address(value: str, *, path: bool = False, example: str = "https://HOST") -> str:
    """Return the address without trailing slashes. Raise ValueError if its scheme is not https (or http on loopback),
    if it contains a user, or if it has a path although `path` is false. The error shows `example` and never the
    address, which may contain a secret."""
    value = value.strip().rstrip("/")
    if why := _unusable(value, path=path):
        more = "query" if path else "path"
        raise ValueError(f"is not a usable address: {why}. Write it as {example}, without user, {more} or spaces")
    return value


def _unusable(value: str, *, path: bool) -> str:
    """Return the reason why an address is invalid, or an empty string."""
    if "://" not in value:
        return "it does not begin with https://" + ("" if "." in value else " and is not a full host name")
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it cannot be read"
    local = parts.scheme == "http" and host in LOOPBACK
    faults = {
        "it contains a space": any(map(str.isspace, value)),
        "it has no host": not host,
        "it contains a user": names_user(parts),
        "it is not https": parts.scheme != "https" and not local,
        "it contains a query": bool(parts.query or parts.fragment),
        "it has a path after the host": bool(parts.path) and not path,
    }
    return next((fault for fault, present in faults.items() if present), "")


def names_user(parts: SplitResult) -> bool:
    """Return whether an address contains a user name or a password."""
    return "@" in parts.netloc


def container_address(value: str) -> str:
    """Validate and return the URL of a blob container, including its signature. Raise ValueError if it is invalid; the
    message contains neither URL nor signature."""
    value = value.strip()
    bare, _, signature = value.partition("?")
    plain = address(bare, path=True)
    if any(map(str.isspace, signature)) or not urlsplit(plain).path.strip("/"):
        raise ValueError("is not the URL of a container. Write it as https://ACCOUNT.blob.core.windows.net/CONTAINER")
    return f"{plain}?{signature}" if signature else plain


def comma_separated(value: str) -> tuple[str, ...]:
    """Return the items of a comma-separated list, without whitespace and empty items."""
    return tuple(part for item in value.split(",") if (part := item.strip()))


Address = Annotated[str, AfterValidator(partial(address, path=True))]


def _listed(value: object) -> object:
    return comma_separated(value) if isinstance(value, str) else value


Listed = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Secrets = Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(_listed)]


def key(value: SecretStr) -> SecretStr:
    """Return the key without surrounding whitespace. Raise ValueError if an HTTP header cannot contain it; the message
    does not contain the key."""
    text = value.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable():
        raise ValueError(
            "is not a key: it is empty, or contains a line break or another character that keys do not have"
        )
    return SecretStr(text)


Key = Annotated[SecretStr, AfterValidator(key)]


PREFIX = "RAG_"
SHARED_PREFIX = "AZURE_"
"""Prefix that other programs also use, so unknown names with this prefix are reported only if they closely resemble one
of our settings."""
NEAR, NEAR_AS_A_WHOLE = 0.85, 0.93
"""Minimum similarities, from 0 to 1, at which a name counts as a misspelling: of the part after RAG_, and of an entire
AZURE_ name."""
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
"""Other programs' names for our settings, without the prefix, with our own names."""
WHO_ASKS = {
    **dict.fromkeys(("USERNAME", "USER_NAME"), "RAG_USER_ID"),
    **dict.fromkeys(("DEPT", "DEP"), "RAG_DEPARTMENT"),
    **dict.fromkeys(("ORGANISATION", "ORGANIZATION"), "RAG_ORG_ID"),
}
"""Common variants of our identity settings. If a variant were ignored, the caller would lose access rights."""


def check_names(environment: Iterable[str], known: Iterable[str], *, azure: bool = False) -> None:
    """Warn on standard error about unknown RAG_ names in `environment`, the names of non-empty variables.

    Raise NotConfigured for a misspelling of a known RAG_ or AZURE_ name, and for a name that is part of exactly one
    known name, if that known name is not set itself. With `azure`, which means that the service will be used, also
    raise it for other programs' names for the service.
    """
    names_set, names = set(environment), list(known)
    for name in sorted(names_set.difference(names)):
        if name.upper().startswith((PREFIX, SHARED_PREFIX)) and (near := near_match(name, names)):
            raise NotConfigured(f"{escaped_name(name)} is not a setting. Did you mean {near}? Rename or remove it.")
        of_search = azure and name.upper().startswith(SEARCH_PREFIXES)
        meant = _called_here(name) if of_search else _meant(name, names)
        if meant and meant not in names_set:
            raise NotConfigured(
                f"{escaped_name(name)} is not a setting. Did you mean {meant}? Rename it; if another program needs it, "
                f"set {meant} too."
            )
        if of_search or name.upper().startswith(PREFIX):
            sys.stderr.write(
                f"Warning: {escaped_name(name)} is not a setting of this version of Ibid and does nothing.\n"
            )


def _meant(name: str, known: Iterable[str]) -> str | None:
    """Return the known name of which `name` is a variant, or the known name that begins or ends with the words of
    `name`, if there is exactly one. Otherwise return None."""
    if not name.upper().startswith(PREFIX):
        return None
    tail = name.upper().removeprefix(PREFIX)
    tails = [ours.removeprefix(PREFIX) for ours in known if ours.startswith(PREFIX)]
    whole = [ours for ours in tails if ours.startswith(f"{tail}_") or ours.endswith(f"_{tail}")]
    return f"{PREFIX}{whole[0]}" if len(whole) == 1 else WHO_ASKS.get(tail)


def _called_here(name: str) -> str | None:
    prefix = next(prefix for prefix in SEARCH_PREFIXES if name.upper().startswith(prefix))
    return CALLED_ELSEWHERE.get(name.upper().removeprefix(prefix))


def escaped_name(name: str) -> str:
    """Escape the name of a variable, which may contain control characters, for a terminal."""
    return ascii(name)[1:-1]


def near_match(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` most likely misspells, or None."""
    if name.upper().startswith(SHARED_PREFIX):
        return _near(name.upper(), [ours for ours in known if ours.startswith(SHARED_PREFIX)])
    # Compare without the prefix, which would make any two names look similar.
    tails = {ours.removeprefix(PREFIX): ours for ours in known if ours.startswith(PREFIX)}
    matches = difflib.get_close_matches(name.upper().removeprefix(PREFIX), tails, n=1, cutoff=NEAR)
    return tails[matches[0]] if matches else None


def _near(name: str, known: list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=NEAR_AS_A_WHOLE)), None)


def problem(error: ErrorDetails) -> str:
    """Return the message for a validation error. It never repeats a value that may be a secret."""
    if not error["loc"]:  # the error concerns several settings, which its text names
        return f"{error['ctx']['error']}."
    name = str(error["loc"][0])
    if error["type"] == "value_error":
        return f"{name} {error['ctx']['error']}."
    return f"{name} is {str(error['input'])[:60]!r}. {_cure(error['type'], error.get('ctx', {}), error['msg'])}"


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
