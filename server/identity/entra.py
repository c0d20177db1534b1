"""What is particular to Microsoft Entra ID: its claims, and the issuers that stand for one tenant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

ENTRA_CLAIMS = {"user": "oid", "org": "tid"}
"""`oid` is the same for a person in every application of a tenant, and never given again; names and mails are."""

_TENANT = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def names_no_tenant(issuer: str) -> bool:
    """Whether tokens of whatever tenant could come under that issuer. A name in place of the id counts: tokens hold the
    id."""
    return tenant_of(issuer) is None


def tenant_of(issuer: str) -> str | None:
    """The id of its tenant, in small letters."""
    parts = [one for one in urlsplit(issuer).path.split("/") if one]
    return parts[0].lower() if parts and _TENANT.fullmatch(parts[0]) else None


def issuers(issuer: str, tenants: Iterable[str]) -> frozenset[str]:
    """What the claim `iss` may be, by the letter: an application gets tokens of version 1 or 2 by its registration, and
    the two name one tenant differently."""
    own = tenant_of(issuer)
    admitted = {own} if own else {one.lower() for one in tenants}
    return frozenset(name for tenant in admitted for name in _names(issuer, tenant))


def metadata_names(issuer: str) -> frozenset[str]:
    """What its metadata may call the issuer: that of several tenants leaves a place for theirs."""
    return frozenset({issuer, *_names(issuer, tenant_of(issuer) or "{tenantid}")})


def _names(issuer: str, tenant: str) -> tuple[str, str]:
    parts = urlsplit(issuer)
    host = "login.microsoftonline.com" if parts.netloc == "sts.windows.net" else parts.netloc
    return f"{parts.scheme}://{host}/{tenant}/v2.0", f"https://sts.windows.net/{tenant}/"


def scope_to_ask_for(scope: str, audience: str) -> str:
    """The scope as a client must ask for it: Entra ID wants the application before it, and leaves it out in tokens."""
    if "/" in scope:
        return scope
    return f"{audience}/{scope}" if "://" in audience else f"api://{audience}/{scope}"
