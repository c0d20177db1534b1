"""Making the two indexes, where they are not there. None is ever changed or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.admission import FIREWALL, MAKING, admin_key_or
from corpus.index.azure.comparing import Difference, differences
from corpus.index.azure.connection import Connection
from corpus.index.azure.failures import status_of

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchIndex

State = Literal["made", "absent", "there", "hidden"]


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of one index: `absent` where it would have been made, `hidden` where the credential may not look.
    `definition` is the one in force."""

    state: State
    definition: SearchIndex
    differences: tuple[Difference, ...] = ()

    @property
    def fits(self) -> bool:
        return not any(one.hinders for one in self.differences)


async def look(connection: Connection, wanted: SearchIndex) -> Looked:
    """Whether the index is there, and how it differs. Raises AzureSearchError and Timeout."""
    try:
        if not await connection.exists(wanted.name):
            return Looked("absent", wanted)
    except AzureSearchError as error:
        if status_of(error) not in (401, 403):
            raise
        return Looked("hidden", wanted)
    found = await connection.definition(wanted.name)
    if found is None:
        return Looked("hidden", wanted)
    return Looked("there", found, tuple(differences(found, wanted)))


async def make(connection: Connection, wanted: SearchIndex) -> Looked:
    """The index made, or the one that is there. Raises NotConfigured where the credential may not make any."""
    looked = await look(connection, wanted)
    if looked.state == "hidden":
        raise _not_allowed()
    if looked.state == "there":
        return looked
    try:
        await connection.create(wanted)
    except AzureSearchError as error:
        if status_of(error) == 409:  # somebody made one meanwhile
            return await look(connection, wanted)
        if status_of(error) in (401, 403):
            raise _not_allowed() from error
        if status_of(error) == 400:
            raise NotConfigured(
                f"Azure AI Search refused the definition of index {wanted.name}.",
                hints=(
                    "--dry-run shows it. An analyzer may not exist, the tier of the service may lack the semantic "
                    "ranker or a vectorizer's model, or the service may be full.",
                ),
            ) from error
        raise
    return Looked("made", wanted)


def _not_allowed() -> NotConfigured:
    return NotConfigured(
        "This credential may not make indexes.",
        hints=(admin_key_or(MAKING), FIREWALL, "For reading afterwards, a query key is enough."),
    )
