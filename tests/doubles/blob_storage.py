"""An Azure Blob Storage account on 127.0.0.1 with one container, which is private by default.

It computes and compares every signature according to the published order of its parts: signatures by an account key,
signatures by a user delegation key, and signatures in the header of a request. `now` is the clock of the service.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote
from xml.etree import ElementTree

from aiohttp import web

from tests.doubles.azure_search.certificate import write_certificate
from tests.patience import PATIENCE

ACCOUNT, CONTAINER = "account", "pictures"
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


class Refused(Exception):
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@dataclass
class BlobStorage:
    """The storage service. `tokens` maps a bearer token to its rights: `r` to read, `w` to write, `d` to request a
    delegation key."""

    key: str = field(default_factory=lambda: base64.b64encode(secrets.token_bytes(64)).decode())
    tokens: dict[str, str] = field(default_factory=dict)
    public: bool = False
    """True if everybody may read blobs."""
    held: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    """Content and media type of each blob, by name."""
    requests: list[str] = field(default_factory=list)
    """Method and blob name of each request, or the other resource that it requested."""
    addresses: list[str] = field(default_factory=list)
    """Signed read addresses, as received."""
    refuses: int = 0
    """Status returned for all requests; 0 for none."""
    refused: int = 0
    """Number of requests that were refused with that status."""
    now: Callable[[], float] = time.time
    origin: str = ""
    ca_file: str | None = None
    delegations: dict[str, dict[str, str]] = field(default_factory=dict)
    """Delegation keys that were issued, keyed by their expiry time."""

    @property
    def url(self) -> str:
        return f"{self.origin}/{ACCOUNT}/{CONTAINER}"

    def signed_url(self, rights: str = "rcw", hours: float = 1.0) -> str:
        """Return the address of the container with an account signature for the entire container."""
        end = datetime.fromtimestamp(self.now() + hours * 3600, UTC).strftime(_STAMP)
        query = {"sp": rights, "se": end, "sv": "2022-11-02", "sr": "c"}
        query["sig"] = _signature(self.key, _of_account(query, None))
        return self.url + "?" + "&".join(f"{name}={_quoted(value)}" for name, value in query.items())

    async def handle(self, request: web.Request) -> web.Response:
        try:
            return await self._answered(request)
        except Refused as refused:
            text = f"{_XML_HEAD}<Error><Code>{refused.code}</Code><Message>internal</Message></Error>"
            headers = {"x-ms-error-code": refused.code, "Content-Type": "application/xml"}
            body = None if request.method == "HEAD" else text.encode()
            return web.Response(status=refused.status, body=body, headers=headers)

    async def _answered(self, request: web.Request) -> web.Response:
        body = await request.read()
        if self.refuses:
            self.refused += 1
            raise Refused(self.refuses, "InvalidInput")
        account, _, rest = request.path.lstrip("/").partition("/")
        container, _, name = rest.partition("/")
        if account != ACCOUNT:
            raise Refused(400, "InvalidUri")
        if not container:
            return self._delegation(request, body)
        if name:
            return self._blob(request, container, name, body)
        self.requests.append(f"{request.method} container")
        if request.query.get("restype") != "container" or request.method not in ("GET", "HEAD"):
            raise Refused(400, "UnsupportedQueryParameter")
        self._check(request, "r", None)
        if container != CONTAINER:
            raise Refused(404, "ContainerNotFound")
        access = {"x-ms-blob-public-access": "blob"} if self.public else {}
        return web.Response(headers=_VERSIONED | access)

    def _blob(self, request: web.Request, container: str, name: str, body: bytes) -> web.Response:
        self.requests.append(f"{request.method} {name}")
        if request.method in ("GET", "HEAD"):
            if not (self.public and "sig" not in request.query and "Authorization" not in request.headers):
                self._check(request, "r", name)
            if "sig" in request.query:
                self.addresses.append(str(request.url))
            if container != CONTAINER:
                raise Refused(404, "ContainerNotFound")
            if name not in self.held:
                raise Refused(404, "BlobNotFound")
            return _read(request, *self.held[name])
        if request.method != "PUT":
            raise Refused(405, "UnsupportedHttpVerb")
        self._check(request, "cw", name)
        if container != CONTAINER:
            raise Refused(404, "ContainerNotFound")
        assert request.headers["x-ms-blob-type"] == "BlockBlob"
        if name in self.held and request.headers.get("If-None-Match") == "*":
            raise Refused(409, "BlobAlreadyExists")
        self.held[name] = body, request.headers.get("x-ms-blob-content-type", "")
        return web.Response(status=201, headers=_VERSIONED)

    def _check(self, request: web.Request, rights: str, name: str | None) -> None:
        """Check that the requester has one of these rights for the blob or for the container."""
        if "sig" in request.query:
            self._check_signature(request, rights, name)
            return
        given = request.headers.get("Authorization", "")
        if given.startswith("SharedKey "):
            if not hmac.compare_digest(given, f"SharedKey {ACCOUNT}:{_signature(self.key, _of_header(request))}"):
                raise Refused(403, "AuthenticationFailed")
            return
        token = given.removeprefix("Bearer ")
        if not given:
            raise Refused(404, "ResourceNotFound")  # does not reveal to an anonymous requester that the blob exists
        if token not in self.tokens or request.scheme != "https":
            raise Refused(401, "InvalidAuthenticationInfo")
        wanted = "w" if "w" in rights else "r"
        if wanted not in self.tokens[token]:
            raise Refused(403, "AuthorizationPermissionMismatch")

    def _check_signature(self, request: web.Request, rights: str, name: str | None) -> None:
        said = request.query
        key, text = self.key, _of_account(said, name)
        if "skoid" in said:
            delegated = self.delegations.get(said.get("ske", ""), {})
            if any(delegated.get(part) != said.get(part) for part in _KEY_PARTS):
                raise Refused(403, "AuthenticationFailed")
            key, text = delegated["value"], _of_delegate(said, name)
            if not _moment(said["skt"]) <= self.now() < _moment(said["ske"]):
                raise Refused(403, "AuthenticationFailed")
        if not hmac.compare_digest(said["sig"], _signature(key, text)):
            raise Refused(403, "AuthenticationFailed")
        if self.now() >= _moment(said.get("se", "")) or ("st" in said and self.now() < _moment(said["st"])):
            raise Refused(403, "AuthenticationFailed")
        if said.get("spr") == "https" and request.scheme != "https":
            raise Refused(403, "AuthorizationProtocolMismatch")
        if not set(rights) & set(said.get("sp", "")):
            raise Refused(403, "AuthorizationPermissionMismatch")

    def _delegation(self, request: web.Request, body: bytes) -> web.Response:
        self.requests.append(f"{request.method} delegation key")
        if (request.query.get("restype"), request.query.get("comp")) != ("service", "userdelegationkey"):
            raise Refused(400, "UnsupportedQueryParameter")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.tokens or request.scheme != "https":
            raise Refused(401, "InvalidAuthenticationInfo")
        if "d" not in self.tokens[token]:
            raise Refused(403, "AuthorizationPermissionMismatch")
        asked = {part.tag: part.text or "" for part in ElementTree.fromstring(body)}
        given = {
            "skoid": "11111111-1111-1111-1111-111111111111", "sktid": "22222222-2222-2222-2222-222222222222",
            "skt": asked["Start"], "ske": asked["Expiry"], "sks": "b", "skv": request.headers["x-ms-version"],
            "value": base64.b64encode(secrets.token_bytes(32)).decode(),
        }  # fmt: skip
        assert _moment(given["ske"]) - _moment(given["skt"]) <= timedelta(days=7).total_seconds()
        self.delegations[given["ske"]] = given
        parts = "".join(f"<{tag}>{given[name]}</{tag}>" for tag, name in _XML.items())
        text = f"{_XML_HEAD}<UserDelegationKey>{parts}</UserDelegationKey>"
        return web.Response(body=text.encode(), headers=_VERSIONED | {"Content-Type": "application/xml"})


_VERSIONED = {"ETag": '"1"', "Last-Modified": "Sun, 01 Mar 2026 10:00:00 GMT", "x-ms-version": "2026-02-06"}
_XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>'
_KEY_PARTS = ("skoid", "sktid", "skt", "ske", "sks", "skv")
_XML = {
    "SignedOid": "skoid", "SignedTid": "sktid", "SignedStart": "skt", "SignedExpiry": "ske", "SignedService": "sks",
    "SignedVersion": "skv", "Value": "value",
}  # fmt: skip
_ENDS = ("rscc", "rscd", "rsce", "rscl", "rsct")


def _of_account(said: Mapping[str, str], name: str | None) -> str:
    """Return the string to sign for a signature by an account key."""
    parts = ["sp", "st", "se", None, "si", "sip", "spr", "sv", "sr", "snapshot", "ses", *_ENDS]
    return _joined(said, parts, name)


def _of_delegate(said: Mapping[str, str], name: str | None) -> str:
    """Return the string to sign for a signature by a user delegation key."""
    parts = [
        "sp", "st", "se", None, *_KEY_PARTS, "saoid", "suoid", "scid", "skdutid", "sduoid", "sip", "spr", "sv", "sr",
        "snapshot", "ses", "srh", "srq", *_ENDS,
    ]  # fmt: skip
    return _joined(said, parts, name)


def _joined(said: Mapping[str, str], parts: list[str | None], name: str | None) -> str:
    blob = f"/{name}" if said.get("sr") == "b" and name else ""
    resource = f"/blob/{ACCOUNT}/{CONTAINER}{blob}"
    return "\n".join(resource if part is None else said.get(part, "") for part in parts)


def _of_header(request: web.Request) -> str:
    """Return the string to sign for the Authorization header."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    if headers.get("content-length") == "0":
        del headers["content-length"]
    plain = (
        "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
        "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
    )  # fmt: skip
    own = sorted((name, value) for name, value in headers.items() if name.startswith("x-ms-"))
    lines = [request.method, *(headers.get(name, "") for name in plain)]
    lines += [f"{name}:{value}" for name, value in own]
    lines += [f"/{ACCOUNT}{request.rel_url.raw_path}"]
    lines += [f"{name.lower()}:{unquote(value)}" for name, value in sorted(request.query.items())]
    return "\n".join(lines)


def _signature(key: str, text: str) -> str:
    return base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()


def _moment(text: str) -> float:
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise Refused(403, "AuthenticationFailed") from None


def _quoted(text: str) -> str:
    return text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D").replace(":", "%3A")


def _read(request: web.Request, data: bytes, kind: str) -> web.Response:
    headers = _VERSIONED | {"Content-Type": kind, "x-ms-blob-type": "BlockBlob", "Accept-Ranges": "bytes"}
    if request.method == "HEAD":
        return web.Response(headers=headers | {"Content-Length": str(len(data))})
    asked = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("x-ms-range", ""))
    if asked is None:
        return web.Response(body=data, headers=headers)
    first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
    if first > last:
        raise Refused(416, "InvalidRange")
    headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
    return web.Response(status=206, body=data[first : last + 1], headers=headers)


@contextmanager
def blob_storage(*, tls: bool = False) -> Iterator[BlobStorage]:
    """Run the storage in its own thread. With `tls`, clients must trust `ca_file`."""
    storage, ready, loop = BlobStorage(), threading.Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve(context: ssl.SSLContext | None) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", storage.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        storage.origin = f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await done.wait()
        await runner.cleanup()

    with TemporaryDirectory() as folder:
        context = None
        if tls:
            authority, chain = write_certificate(Path(folder))
            storage.ca_file = str(authority)
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(chain)
        thread = threading.Thread(target=lambda: loop.run_until_complete(serve(context)), daemon=True)
        thread.start()
        assert ready.wait(PATIENCE), "the storage did not start"
        try:
            yield storage
        finally:
            loop.call_soon_threadsafe(done.set)
            thread.join(PATIENCE)
            loop.close()
