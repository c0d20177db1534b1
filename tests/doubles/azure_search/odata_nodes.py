"""A filter as a tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constant:
    kind: str
    """string, moment, number or word (true, false, null, NaN, INF)"""
    text: str


@dataclass(frozen=True)
class Path:
    name: str


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Quantified:
    path: str
    every: bool
    variable: str | None
    body: Node | None


@dataclass(frozen=True)
class Compared:
    left: Node
    operator: str
    right: Node


@dataclass(frozen=True)
class Negated:
    inner: Node


@dataclass(frozen=True)
class Joined:
    operator: str
    """and, or"""
    parts: tuple[Node, ...]


Node = Constant | Path | Call | Quantified | Compared | Negated | Joined
