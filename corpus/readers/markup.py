"""Parse untrusted XML without entity expansion, network access or external files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from lxml import etree

from corpus.errors import UnreadableDocument

Node = Any
"""An lxml element. lxml has no type information."""

_DIGITS = 15
"""Maximum number of digits in a count. Python refuses to parse very long integers, and no real count is longer."""

DAMAGED = (etree.XMLSyntaxError, etree.LxmlError)
"""Exceptions of lxml for malformed XML."""


def parse_xml(data: bytes) -> Node:
    """Return the root element. Raises UnreadableDocument for malformed XML and for entity definitions."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError as error:
        raise UnreadableDocument("damaged: one of its parts is not XML") from error
    definition = root.getroottree().docinfo.internalDTD
    if definition is not None and any(True for _ in definition.iterentities()):
        raise UnreadableDocument("defines XML entities, which no office document needs; they are refused")
    return root


def name_of(node: Node) -> str:
    """Return the tag without its namespace; empty for comments and processing instructions."""
    return str(node.tag).rpartition("}")[2] if isinstance(node.tag, str) else ""


def attribute(node: Node, name: str) -> str | None:
    """Return the value of the attribute with that local name, in any namespace."""
    for key, value in node.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def parse_count(text: str | None, maximum: int, default: int = 1) -> int:
    """Parse a count and limit it to `maximum`; return `default` if the text is not a count."""
    if not text or not text.isdecimal():
        return default
    return min(int(text), maximum) if len(text) <= _DIGITS else maximum


def iso_utc(date: datetime | None) -> str | None:
    """Return a date as ISO 8601 in UTC. A date without a time zone is treated as UTC."""
    if date is None:
        return None
    try:
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None
