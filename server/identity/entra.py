"""Specifics of Microsoft Entra ID: claims, tenants, issuers and scopes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

ENTRA_CLAIMS = {"user": "oid", "org": "tid"}
"""Claims of the user and the organisation. `oid` identifies a person in all applications of a tenant and is never
reused, unlike names and mail addresses."""

_TENANT = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def names_no_tenant(issuer: str) -> bool:
    """Return whether the issuer contains no tenant id. It then serves several tenants, or names its tenant by a domain
    name, although tokens contain the id."""
    return tenant_of(issuer) is None


def tenant_of(issuer: str) -> str | None:
    """Return the tenant id in an issuer, in lower case, or None."""
    parts = [part for part in urlsplit(issuer).path.split("/") if part]
    return parts[0].lower() if parts and _TENANT.fullmatch(parts[0]) else None


def issuers(issuer: str, tenants: Iterable[str]) -> frozenset[str]:
    """Return the accepted values of the claim `iss`. Depending on the application, tokens have version 1 or 2, and the
    versions name the same tenant differently."""
    own = tenant_of(issuer)
    admitted = {own} if own else set(map(str.lower, tenants))
    return frozenset(name for tenant in admitted for name in _names(issuer, tenant))


def metadata_names(issuer: str) -> frozenset[str]:
    """Return the issuer names that its metadata may contain. The metadata of an issuer for several tenants contains a
    placeholder instead of the tenant id."""
    return frozenset({issuer, *_names(issuer, tenant_of(issuer) or "{tenantid}")})


def sign_in_host(issuer: str) -> str:
    """Return the host and port from which clients obtain tokens of this issuer."""
    host = urlsplit(issuer).netloc
    return "login.microsoftonline.com" if host == "sts.windows.net" else host


def _names(issuer: str, tenant: str) -> tuple[str, str]:
    scheme = urlsplit(issuer).scheme
    return f"{scheme}://{sign_in_host(issuer)}/{tenant}/v2.0", f"https://sts.windows.net/{tenant}/"


def scope_to_ask_for(scope: str, audience: str) -> str:
    """Return the scope as clients must request it: Entra ID requires the application's id as a prefix, and omits this
    prefix in tokens."""
    if "/" in scope:
        return scope
    return f"{audience}/{scope}" if "://" in audience else f"api://{audience}/{scope}"
