"""Check how callers over HTTP are identified: the issuer publishes keys, the file of keys is sound."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import anyio

from corpus.diagnostics import Finding
from server.commands.finding import Clock, Say, tried
from server.settings import Settings

PATIENCE = 12.0
"""Seconds."""
PLAIN = "RAG_PRINCIPAL_PREFIXES=false: a user, a group and a department of one name are one and the same."
PLAIN_CURE = "See that nobody can choose the name of a group or of themselves; ids of the provider are safe."
FILE = "`ibid key add NAME` makes it."


async def callers(settings: Settings, say: Say) -> None:
    """Says nothing where the settings name neither."""
    if settings.auth_issuer and settings.principal_prefixes is False:
        say(Finding("warning", "callers", PLAIN, PLAIN_CURE))
    if settings.auth_issuer:
        say(await tried("issuer", lambda: _issuer(settings), seconds=PATIENCE))
    if path := settings.api_keys:
        say(await tried("keys", lambda: _keys(path), seconds=PATIENCE))


async def _issuer(settings: Settings) -> Finding:
    from server.identity.fetching import Unusable
    from server.identity.known import issuer_keys

    host = urlsplit(settings.auth_issuer or "").netloc
    clock = Clock()
    async with anyio.create_task_group() as tasks:
        try:
            keys = await issuer_keys(settings, tasks).fetch()
        except Unusable as error:
            return Finding("failed", "issuer", f"{host}: {error}.", _cure(settings))
    usable = [name for name in settings.algorithms if keys.fit(name)]
    if not usable:
        cure = "Set RAG_AUTH_ALGORITHMS to what the issuer signs with."
        return Finding(
            "failed", "issuer", f"{host} publishes no key for {', '.join(settings.algorithms)}.", cure
        )
    text = f"{host} publishes {len(keys.keys)} keys, for {', '.join(usable)}, in {clock}"
    return Finding("ok", "issuer", text)


def _cure(settings: Settings) -> str:
    if settings.auth_jwks_url:
        return "Look at RAG_AUTH_JWKS_URL; unset it where the issuer has metadata."
    return (
        "Open RAG_AUTH_ISSUER with /.well-known/openid-configuration behind it: what `issuer` says there is its name, "
        "by the letter. Where there is no such page, set RAG_AUTH_JWKS_URL."
    )


async def _keys(path: Path) -> Finding:
    from server.identity.key_file import read_keys

    try:
        keys = read_keys(path)
    except OSError as error:
        return Finding("failed", "keys", f"{path} cannot be read ({error.strerror}).", FILE)
    if not keys:
        return Finding("warning", "keys", f"{path} holds none, so nobody can use one.", FILE)
    return Finding("ok", "keys", f"{len(keys)} in {path}")
