"""Pictures in a container of Azure Blob Storage, named by what they are: one that is there already is not sent again.

Whoever can open the container can open every picture in it, whatever the access list of its document says.
"""

from __future__ import annotations

import hashlib
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError

from corpus.blocks import Picture
from corpus.errors import AzureSearchError, NotConfigured

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.storage.blob.aio import ContainerClient

SETTING = "AZURE_STORAGE_CONTAINER_URL"
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


class Blobs:
    """A container. Its address may carry a shared access signature; without one, an Azure identity signs in."""

    def __init__(self, address: str) -> None:
        """Raises NotConfigured where the package is not installed."""
        try:
            from azure.storage.blob.aio import ContainerClient
        except ImportError as error:
            raise NotConfigured(
                f"{SETTING} is set, and the package azure-storage-blob is not installed. "
                "Install it: pip install 'ibid-mcp[azure-blobs]', or unset it to leave pictures out."
            ) from error
        parts = urlsplit(address)
        self.address = plain(address)
        self._credential: AsyncTokenCredential | None = None
        if not parts.query:
            from corpus.index.azure.clients import identity

            self._credential = identity()
        self._client: ContainerClient = ContainerClient.from_container_url(
            f"{self.address}?{parts.query}" if parts.query else self.address,
            credential=self._credential, retry_total=3, connection_timeout=5, read_timeout=60,
        )  # fmt: skip
        self._there: set[str] = set()

    async def put(self, picture: Picture) -> str:
        """The address of the picture, without any signature. Raises AzureSearchError or NotConfigured."""
        from azure.storage.blob import ContentSettings

        name = hashlib.sha256(picture.data).hexdigest() + _SUFFIXES.get(picture.mime_type, "")
        if name not in self._there:
            blob = self._client.get_blob_client(name)
            try:
                if not await self._holds(name):
                    kind = ContentSettings(content_type=picture.mime_type)
                    await blob.upload_blob(picture.data, overwrite=False, content_settings=kind)
            except ResourceExistsError:
                pass  # another run was faster
            except AzureError as error:
                raise _failure(error, urlsplit(self.address).hostname or "") from error
            self._there.add(name)
        return f"{self.address}/{name}"

    async def _holds(self, name: str) -> bool:
        """False also where the signature lets nobody look."""
        try:
            return bool(await self._client.get_blob_client(name).exists())
        except HttpResponseError as error:
            if error.status_code != 403:
                raise
            return False

    async def aclose(self) -> None:
        await self._client.close()
        if self._credential:
            await self._credential.close()

    async def __aenter__(self) -> Blobs:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def plain(address: str) -> str:
    """The address of a container without its signature."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def container_name(address: str) -> str:
    """A short name for a container, whatever its signature is."""
    return hashlib.sha256(plain(address).encode()).hexdigest()[:12]


def _failure(error: AzureError, host: str) -> NotConfigured | AzureSearchError:
    """In our words: what the service says quotes the address, and with it the signature."""
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        return NotConfigured(
            f"{host} does not let pictures be written. The signature in {SETTING} needs the rights Create and Write "
            "and must not be over; an identity needs the role Storage Blob Data Contributor."
        )
    if status == 404:
        return NotConfigured(f"{host} has no such container. Check {SETTING}, or make the container.")
    return AzureSearchError(
        f"{host} did not take a picture{f' (status {status})' if status else ''}. "
        f"Check {SETTING} and the network, and run the same command again."
    )
