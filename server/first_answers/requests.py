"""Recognise the requests that a kept answer fits. Requests with an unusual shape are left to the SDK."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LISTS = ("tools/list", "prompts/list", "resources/templates/list")
INITIALIZE, DISCOVER, PING = "initialize", "server/discover", "ping"

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_ENVELOPE = frozenset((VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY))

MAX_LINE = 16_384
"""Maximum size of a request, in bytes. First requests are much smaller."""
MAX_GENERATION = 600
"""Maximum total length of a client's protocol version and capabilities, in characters."""
MAX_ID = 100

_EMPTY_PARTS = {"sampling": ("context", "tools"), "elicitation": ("form", "url")}
"""Capabilities that do not affect lists, with the names of their members, whose values are empty objects."""


class Session:
    """The requests of one connection. The first request determines the protocol era and the client generation."""

    def __init__(self) -> None:
        self.generation: str | None = None
        """Client generation (protocol version and the capabilities that affect answers), or None while unknown."""
        self._modern: bool | None = None
        self._unknown = False

    def give_up(self) -> None:
        """Stop using kept answers for this connection."""
        self._unknown = True

    def key(self, message: dict[str, Any]) -> str | None:
        """Return the key of the kept answer to a request, or None to leave the request to the SDK."""
        if self._unknown or "id" not in message or "method" not in message:
            return None
        key = self._key(message)
        if key is None and (self._modern is None or message["method"] == INITIALIZE):
            self.give_up()  # this is the first request, or a request that changes the session
        return key

    def opens(self, message: dict[str, Any]) -> bool:
        """Return whether a message opens the session."""
        return message.get("method") in (INITIALIZE, DISCOVER)

    def _key(self, message: dict[str, Any]) -> str | None:
        method, params = message["method"], message.get("params")
        params = {} if params is None else params
        if not _is_request(message) or not isinstance(params, dict):
            return None
        meta = params.get("_meta", {})
        if not isinstance(meta, dict) or not _is_token(meta.get("progressToken", 0)):
            return None
        if VERSION_KEY in meta and method != INITIALIZE:
            return self._modern_key(method, params, meta)
        return self._legacy_key(method, params, meta)

    def _modern_key(self, method: str, params: dict[str, Any], meta: dict[str, Any]) -> str | None:
        known = method in (DISCOVER, PING, *LISTS)
        if self._modern is False or not known or set(params) != {"_meta"}:
            return None
        if set(meta) - {"progressToken"} != _ENVELOPE:
            return None
        generation = generation_of(meta[VERSION_KEY], meta[CAPABILITIES_KEY], meta[CLIENT_KEY])
        if generation is None:
            return None
        self._modern, self.generation = True, self.generation or generation
        return f"{generation} {method}"

    def _legacy_key(self, method: str, params: dict[str, Any], meta: dict[str, Any]) -> str | None:
        if self._modern or set(meta) - {"progressToken"}:
            return None
        if method == INITIALIZE:
            return self._initialize_key(params)
        if set(params) - {"_meta", "cursor"} or params.get("cursor") is not None:
            return None
        if method == PING:
            self._modern = False
            return PING
        return f"{self.generation} {method}" if self.generation and method in LISTS else None

    def _initialize_key(self, params: dict[str, Any]) -> str | None:
        if self.generation or set(params) - {"_meta"} != {"protocolVersion", "capabilities", "clientInfo"}:
            return None
        generation = generation_of(params["protocolVersion"], params["capabilities"], params["clientInfo"])
        if generation is None:
            return None
        self._modern, self.generation = False, generation
        return f"{generation} {INITIALIZE}"


def parse(line: bytes | None) -> dict[str, Any] | None:
    """Return the message in a line, or None if another parser might read it differently."""
    if line is None or len(line) > MAX_LINE or b"\\ud" in line.lower():
        return None
    try:
        message = json.loads(line.decode(), object_pairs_hook=_distinct, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def generation_of(version: object, capabilities: object, client: object) -> str | None:
    """Return the name of a client generation, or None if one of the arguments has an unusual shape."""
    if not isinstance(version, str) or not isinstance(capabilities, dict) or not _is_client(client):
        return None
    rest = {name: value for name, value in capabilities.items() if not _is_indifferent(name, value)}
    generation = f"{json.dumps(version)} {json.dumps(rest, sort_keys=True)}"
    return generation if len(generation) <= MAX_GENERATION else None


def client_of(generation: str) -> tuple[str, dict[str, Any]]:
    """Return the protocol version and the capabilities that the name of a generation contains."""
    version, end = json.JSONDecoder().raw_decode(generation)
    return version, json.loads(generation[end:])


def answer_line(request_id: int | str, result: str) -> bytes:
    """Return the line of a response, byte for byte as the SDK would write it."""
    return f'{{"jsonrpc":"2.0","id":{json.dumps(request_id)},"result":{result}}}'.encode()


def is_result(text: object) -> bool:
    """Return whether a text is a JSON object on one line."""
    if not isinstance(text, str) or not text.startswith("{") or not text.endswith("}"):
        return False
    try:
        json.loads(text, parse_constant=_refused)
        text.encode()
    except (ValueError, RecursionError):
        return False
    return not any(end in text for end in "\n\r\x85\u2028\u2029")


def _is_request(message: dict[str, Any]) -> bool:
    request_id, has_method = message["id"], isinstance(message["method"], str)
    if set(message) - {"params"} != {"jsonrpc", "id", "method"} or message["jsonrpc"] != "2.0" or not has_method:
        return False
    if isinstance(request_id, str):
        plain = request_id.isascii() and request_id.isprintable() and not set('"\\') & set(request_id)
        return plain and len(request_id) <= MAX_ID
    return isinstance(request_id, int) and not isinstance(request_id, bool) and 0 <= request_id < 2**53


def _is_token(token: object) -> bool:
    if isinstance(token, str):
        return True
    return isinstance(token, int) and not isinstance(token, bool) and 0 <= token < 2**53


def _is_client(client: object) -> bool:
    if not isinstance(client, dict) or not {"name", "version"} <= set(client):
        return False
    texts = [value for name, value in client.items() if name != "icons"]
    icons = client.get("icons", [])
    return all(isinstance(text, str) for text in texts) and isinstance(icons, list) and all(map(_is_icon, icons))


def _is_icon(icon: object) -> bool:
    if not isinstance(icon, dict) or "src" not in icon or not set(icon) <= {"src", "mimeType", "sizes"}:
        return False
    sizes = icon.get("sizes", [])
    texts = [icon["src"], icon.get("mimeType", ""), *(sizes if isinstance(sizes, list) else [sizes, None])]
    return all(isinstance(text, str) for text in texts)


def _is_indifferent(name: str, value: object) -> bool:
    """Return whether a capability has a shape that the SDK accepts, and does not affect any kept answer."""
    if not isinstance(value, dict):
        return False
    if name == "experimental":
        return all(isinstance(part, dict) for part in value.values())
    if name == "roots":
        return set(value) <= {"listChanged"} and all(isinstance(flag, bool) for flag in value.values())
    parts = _EMPTY_PARTS.get(name)
    return parts is not None and all(part in parts and rest == {} for part, rest in value.items())


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as an object. Raise ValueError for a duplicate name, because parsers differ in which of its
    values they use."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate name")
    return value


def _refused(constant: str) -> object:
    raise ValueError(constant)
