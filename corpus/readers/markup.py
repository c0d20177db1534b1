"""XML of strangers, parsed so that it can neither grow nor fetch nor name another file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from lxml import etree

from corpus.errors import UnreadableDocument

Node = Any
"""An element of lxml, which has no types of its own."""

_DIGITS = 15

DAMAGED = (etree.XMLSyntaxError, etree.LxmlError)


def parsed_xml(data: bytes) -> Node:
    """The root element. UnreadableDocument when it is no XML or defines entities."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError as error:
        raise UnreadableDocument("damaged: a part of it is no XML") from error
    definition = root.getroottree().docinfo.internalDTD
    if definition is not None and any(True for _ in definition.iterentities()):
        raise UnreadableDocument("defines XML entities, which no office document needs; they are refused")
    return root


def name_of(node: Node) -> str:
    """Its tag without the namespace; empty for what is no element."""
    return str(node.tag).rpartition("}")[2] if isinstance(node.tag, str) else ""


def attribute(node: Node, name: str) -> str | None:
    """The attribute of that local name, whatever its namespace."""
    for key, value in node.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def counted(text: str | None, most: int, default: int = 1) -> int:
    """The number that a document writes, at most `most`; the default for what is none.

    A very long one is not even read: Python refuses to.
    """
    if not text or not text.isdecimal():
        return default
    return min(int(text), most) if len(text) <= _DIGITS else most


def iso_utc(date: datetime | None) -> str | None:
    """As documents carry dates; one without a zone is taken as UTC."""
    if date is None:
        return None
    try:
        return (
            (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="seconds")
        )
    except (ValueError, OverflowError):
        return None
