"""What to say where the service admits nobody, or not to this: a key lacks another thing than an identity does."""

from __future__ import annotations

from azure.core.exceptions import HttpResponseError

READING, WRITING, MAKING = (
    "Search Index Data Reader", "Search Index Data Contributor", "Search Service Contributor",
)  # fmt: skip
_ROLES = {
    "upload": WRITING, "merge": WRITING, "delete": WRITING, "create_index": MAKING, "get_index": MAKING,
}  # fmt: skip
_MAY = {READING: "read index {}", WRITING: "write into index {}", MAKING: "see or make index {}"}

FIREWALL = "The firewall of the service must admit this machine."

Told = tuple[str, tuple[str, ...]]
"""What happened, and the cures."""


def nobody_signed_in() -> Told:
    return "No Azure identity could be used to sign in to Azure AI Search.", (
        "Set AZURE_SEARCH_API_KEY, or sign in: `az login`, a managed identity, or AZURE_CLIENT_ID, AZURE_TENANT_ID and "
        "AZURE_CLIENT_SECRET.",
    )


def not_admitted(error: HttpResponseError, index: str, operation: str) -> Told:
    """Of an answer 401 or 403 to an operation of the connection, such as search or upload."""
    role, key = _ROLES.get(operation, READING), _by_key(error)
    if error.status_code == 401:
        return _unknown(key=key)
    text = f"Azure AI Search does not allow this {_who(key=key)} to {_MAY[role].format(index)}."
    if not key:
        cure = f"It needs the role {role} on the service, and role-based access switched on there. A new role takes "
        cure += "some minutes."
    elif role == READING:
        cure = "AZURE_SEARCH_API_KEY must be a query key or an admin key of this service, and whole."
    else:
        cure = admin_key_or(role)
    return text, (cure, FIREWALL)


def admin_key_or(role: str) -> str:
    """The cure where a key may not write or make something: the service does not say what is wrong with it."""
    return (
        "AZURE_SEARCH_API_KEY must be an admin key of this service, and whole: it may be mistyped, a key of another "
        f"service, or a query key, which can only read. Or unset it, and sign in as an identity with the role {role}."
    )


def _unknown(*, key: bool) -> Told:
    cure = (
        "Check AZURE_SEARCH_API_KEY; a service that takes roles alone refuses every key: unset it to sign in with an "
        "Azure identity."
        if key
        else "The service must have role-based access switched on (Settings, Keys). In a sovereign cloud, "
        "AZURE_SEARCH_AUDIENCE must say whose tokens it takes."
    )
    return f"Azure AI Search did not accept the {_who(key=key)}.", (cure,)


def _who(*, key: bool) -> str:
    return "key" if key else "Azure identity"


def _by_key(error: HttpResponseError) -> bool:
    """Whether the request carried a key, and no token."""
    request = getattr(error.response, "request", None)
    return "api-key" in {str(name).lower() for name in getattr(request, "headers", None) or ()}
