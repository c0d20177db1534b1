"""Pictures in a private container of Azure Blob Storage: upload, download, and signed addresses.

Only this program has credentials for the container. A user gets an address that opens one picture, read-only, over
https, for at most MAX_SECONDS. The address is signed only after the access check.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import anyio
from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError, ResourceNotFoundError

from corpus.diagnostics import Finding
from corpus.documents.block import Picture
from corpus.errors import AzureSearchError, IbidError, NotConfigured, Timeout

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.storage.blob import UserDelegationKey
    from azure.storage.blob.aio import ContainerClient

SETTING, KEY_SETTING = "AZURE_STORAGE_CONTAINER_URL", "AZURE_STORAGE_ACCOUNT_KEY"
READER, DELEGATOR, WRITER = (
    "Storage Blob Data Reader", "Storage Blob Delegator", "Storage Blob Data Contributor",
)  # fmt: skip

MAX_SECONDS = 900
"""Maximum seconds for which an address is valid."""
STEP = 300
"""Interval in seconds to which the current time is rounded down, so that the address of a picture stays the same for a
while."""
KEY_SECONDS = 3600
"""Seconds for which a user delegation key is valid. Azure allows seven days, but a key can sign until it expires, even
if the role that permitted it has been revoked."""
SKEW_SECONDS = 300
"""Tolerated difference in seconds between the clocks of this machine and of the service."""
MAX_BYTES = 20_000_000
"""Maximum size of one downloaded picture, in bytes."""
WAIT = 12.0
"""Maximum seconds for one request. The remaining time of the tool call is enough to answer without the picture."""

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}"
_NAME = re.compile(rf"{_PART}(?:/{_PART}){{0,8}}")


@dataclass(frozen=True, slots=True)
class Container:
    """A container and its credential: a shared access signature in the address if present, otherwise the account's key
    if set, otherwise an Azure identity. `ca_file` contains certificates to trust instead of the system's."""

    url: str = field(repr=False)
    account_key: str | None = field(default=None, repr=False)
    ca_file: str | None = None

    @property
    def address(self) -> str:
        """The address without signature and trailing slash."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))

    @property
    def signature(self) -> str:
        """The shared access signature in the address, or an empty string if there is none."""
        return urlsplit(self.url).query

    @property
    def digest(self) -> str:
        """A short identifier of the container, independent of its credential."""
        return hashlib.sha256(f"private\0{self.address}".encode()).hexdigest()[:12]


def picture_name(secret: bytes, picture: Picture) -> str:
    """Return the blob name of a picture, which is derived from its content and cannot be guessed without the secret."""
    digest = hmac.new(secret, b"picture\0" + picture.data, hashlib.sha256).hexdigest()
    return f"figures/{digest}{_SUFFIXES.get(picture.mime_type, '')}"


def pages_name(secret: bytes, doc_id: str, content_hash: str) -> str:
    """Return the blob folder for the page pictures of one version of a document."""
    text = f"pages\0{doc_id}\0{content_hash}".encode()
    return f"pages/{hmac.new(secret, text, hashlib.sha256).hexdigest()}"


def page_name(folder: str, page_number: int) -> str:
    """Return the blob name of a page picture."""
    return f"{folder}/{page_number}"


class PictureStore:
    """A client for one container, opened at the first request. Every method raises NotConfigured if the container or a
    permission is missing, Timeout, or AzureSearchError for other failures."""

    def __init__(self, container: Container, *, now: Callable[[], float] = time.time) -> None:
        self.container = container
        self._now = now
        self._opening = anyio.Lock()
        self._client: ContainerClient | None = None
        self._credential: AsyncTokenCredential | None = None
        self._delegation: tuple[UserDelegationKey, float] | None = None
        self._present: set[str] = set()

    def name_of(self, image_url: str | None) -> str | None:
        """Return the blob name in an `image_url` from an index, which may be a bare name or the unsigned address of a
        blob in this container. Return None for any other address."""
        if not image_url:
            return None
        name = image_url.removeprefix(f"{self.container.address}/")
        return name if _NAME.fullmatch(name) else None

    async def put(self, name: str, picture: Picture) -> None:
        """Upload a picture unless a blob with that name exists."""
        from azure.storage.blob import ContentSettings

        if name in self._present:
            return
        client = await self._opened()
        blob = client.get_blob_client(name)
        with_type = ContentSettings(content_type=picture.mime_type)
        async with self._request("write", 60.0):
            if not await _exists(blob):
                with suppress(ResourceExistsError):  # another run was faster
                    await blob.upload_blob(picture.data, overwrite=False, content_settings=with_type)
        self._present.add(name)

    async def get(self, name: str) -> Picture | None:
        """Return the picture with that name, or None if it does not exist or is not a supported picture."""
        client = await self._opened()
        async with self._request("read"):
            try:
                stream = await client.get_blob_client(name).download_blob(offset=0, length=MAX_BYTES + 1)
                data = await stream.readall()
            except ResourceNotFoundError as error:
                if getattr(error, "error_code", None) == "ContainerNotFound":
                    raise
                return None
        kind = stream.properties.content_settings.content_type
        fits = kind in _SUFFIXES and 0 < len(data) <= MAX_BYTES
        return Picture(data, str(kind)) if fits else None

    async def signed(self, name: str) -> str | None:
        """Return an address that gives read access to this blob for at most MAX_SECONDS. Return None if the credential
        is a shared access signature, which cannot sign addresses and is never passed on."""
        if self.container.signature:
            return None
        from azure.storage.blob import generate_blob_sas

        client = await self._opened()
        expires = int(self._now()) // STEP * STEP + MAX_SECONDS
        by: dict[str, Any] = {"account_key": self.container.account_key}
        if not self.container.account_key:
            by = {"user_delegation_key": await self._delegation_key(expires)}
        signature = generate_blob_sas(
            client.account_name or "", client.container_name, name, permission="r",
            expiry=datetime.fromtimestamp(expires, UTC), protocol="https", **by,
        )  # fmt: skip
        return f"{self.container.address}/{name}?{signature}"

    async def private(self) -> Finding:
        """Check that nobody can read the container without a credential. Return a note if this credential may not query
        that."""
        client = await self._opened()
        try:
            async with self._request("read"):
                public = (await client.get_container_properties()).public_access
        except NotConfigured as error:
            if getattr(error.__cause__, "status_code", None) not in (401, 403):
                raise
            return Finding("note", "pictures", "this credential may not see whether everybody can read the container")
        if public:
            return Finding(
                "failed", "pictures", "everybody can read the container without signing in.",
                "Set its access level to private, and switch anonymous access off for the account.",
            )  # fmt: skip
        return Finding("ok", "pictures", "the container is private")

    async def readable(self) -> Finding:
        """Check that pictures can be read, by requesting one that does not exist."""
        await self.get(_absent())
        return Finding("ok", "pictures", f"{urlsplit(self.container.address).hostname} permits pictures to be read")

    async def signs(self) -> Finding:
        """Check that the service accepts addresses signed by this process, using the address of a picture that does not
        exist."""
        from azure.storage.blob.aio import BlobClient

        address = await self.signed(_absent())
        if address is None:
            return Finding(
                "note", "pictures", "the signature in the address of the container signs nothing, so pictures are "
                "given as content and have no addresses of their own.",
                f"Take it away: {KEY_SETTING}, or an identity with the roles {READER} and {DELEGATOR}, signs them.",
            )  # fmt: skip
        async with BlobClient.from_blob_url(address, **self._options()) as blob:
            try:
                async with self._request("read"):
                    await blob.get_blob_properties()
            except NotConfigured as error:
                if getattr(error.__cause__, "status_code", None) != 404:
                    return Finding(
                        "failed", "pictures", "the service refuses the addresses that are signed here.",
                        f"Check {KEY_SETTING}, or the role {DELEGATOR} on the account, and the clock of this machine.",
                    )  # fmt: skip
        minutes = MAX_SECONDS // 60
        return Finding("ok", "pictures", f"addresses are signed, and open for at most {minutes} minutes")

    async def aclose(self) -> None:
        """Close the client. A later request opens it again."""
        if self._client:
            await self._client.close()
        if self._credential:
            await self._credential.close()
        self._client = self._credential = self._delegation = None

    async def __aenter__(self) -> PictureStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _delegation_key(self, expires: int) -> UserDelegationKey:
        """Return a cached user delegation key that is valid at least until `expires` (seconds since 1970)."""
        async with self._opening:
            if self._delegation is None or self._delegation[1] < expires:
                from azure.storage.blob.aio import BlobServiceClient

                account = self.container.address.rpartition("/")[0]
                until = self._now() + KEY_SECONDS
                since = self._now() - SKEW_SECONDS
                async with (
                    self._request("sign"),
                    BlobServiceClient(account, credential=self._credential, **self._options()) as service,
                ):
                    key = await service.get_user_delegation_key(
                        datetime.fromtimestamp(since, UTC), datetime.fromtimestamp(until, UTC)
                    )
                self._delegation = key, until
            return self._delegation[0]

    async def _opened(self) -> ContainerClient:
        async with self._opening:
            return self._made()

    def _made(self) -> ContainerClient:
        """Return the client. Raises NotConfigured if the package is not installed."""
        if self._client is not None:
            return self._client
        try:
            from azure.storage.blob.aio import ContainerClient
        except ImportError as error:
            raise NotConfigured(
                f"{SETTING} is set, but the package azure-storage-blob is not installed. "
                "Install it: pip install 'ibid-mcp[azure-blobs]', or unset it to leave pictures out."
            ) from error
        container = self.container
        credential: Any = container.account_key
        if not container.signature and not credential:
            from corpus.index.azure.service.clients import identity

            if not container.address.startswith("https:"):
                raise NotConfigured(
                    f"{SETTING} does not begin with https:, and an Azure identity signs in only over https.",
                    hints=(f"Write it as https://, or set {KEY_SETTING}.",),
                )
            credential = self._credential = identity()
        address = f"{container.address}?{container.signature}" if container.signature else container.address
        try:
            client = ContainerClient.from_container_url(address, credential=credential, **self._options())
        except ValueError as error:
            raise NotConfigured(_ACCOUNTLESS) from error
        if not client.account_name:
            raise NotConfigured(_ACCOUNTLESS)
        self._client = client
        return client

    def _options(self) -> dict[str, Any]:
        verify = {"connection_verify": self.container.ca_file} if self.container.ca_file else {}
        return {
            # The SDK's default first pause, 15 seconds, is longer than WAIT.
            "retry_total": 2,
            "initial_backoff": 1,
            "increment_base": 1,
            "random_jitter_range": 1,
            "connection_timeout": 5,
            "read_timeout": 60,
            "permit_redirects": False,
            **verify,
        }

    @asynccontextmanager
    async def _request(self, what: str, seconds: float = WAIT) -> AsyncIterator[None]:
        host = urlsplit(self.container.address).hostname or ""
        try:
            with anyio.fail_after(seconds):
                yield
        except TimeoutError as error:
            raise Timeout(f"{host} did not answer in time.") from error
        except (AzureError, ValueError) as error:
            raise _failure(error, host, what, self.container) from error


async def _exists(blob: Any) -> bool:
    """Return whether the blob exists. Also returns False if the signature does not permit the check."""
    try:
        return bool(await blob.exists())
    except HttpResponseError as error:
        if error.status_code != 403:
            raise
        return False


_ACCOUNTLESS = f"{SETTING} does not name its account: write it as https://ACCOUNT.blob.core.windows.net/CONTAINER."


def _absent() -> str:
    return f"figures/{secrets.token_hex(32)}.png"


def _failure(error: Exception, host: str, what: str, container: Container) -> IbidError:
    """Return our error for a failed request. The error omits the service's text, which quotes the address with its
    signature."""
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        return NotConfigured(f"{host} does not permit pictures to be {_DONE[what]}. {_cure(what, container)}")
    if status == 404:
        return NotConfigured(f"{host} has no such container. Check {SETTING}, or make the container.")
    return AzureSearchError(
        f"Pictures of {host} cannot be {_DONE[what]}{f' (status {status})' if status else ''}.",
        hints=(f"Check {SETTING} and the network.",),
    )


_DONE = {"write": "written", "read": "read", "sign": "signed for"}


def _cure(what: str, container: Container) -> str:
    if container.signature:
        rights = "Create and Write" if what == "write" else "Read"
        return f"The signature in {SETTING} needs the rights {rights} and must not have expired."
    if container.account_key:
        return f"{KEY_SETTING} must be a key of this account, and the account must allow keys."
    role = {"write": WRITER, "read": READER, "sign": DELEGATOR}[what]
    scope = "account" if what == "sign" else "container or its account"
    return f"The identity needs the role {role} on the {scope}; a new role takes some minutes."
