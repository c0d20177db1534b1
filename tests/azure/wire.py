"""Independent checks of the requests on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from tests.doubles.azure_search import Request, StandIn

ACCESS = "(access_control_list/any(held: "


def assert_every_read_was_filtered(service: StandIn) -> int:
    """Check that every search begins with the access filter, and that no request looks up a key or counts an index.
    Return the number of searches."""
    reads = [one for one in service.requests if one.operation in ("search", "lookup", "count", "retrieve")]
    assert not unfiltered(reads)
    return len(reads)


def unfiltered(requests: Iterable[Request]) -> list[Request]:
    return [one for one in requests if not _starts_with_access(one)]


def _starts_with_access(request: Request) -> bool:
    body = request.body if isinstance(request.body, dict) else {}
    if request.operation == "retrieve":
        sources = body.get("knowledgeSourceParams") or []
        return bool(sources) and all(str(one.get("filterAddOn", "")).startswith(ACCESS) for one in sources)
    return request.operation == "search" and str(body.get("filter", "")).startswith(ACCESS)
