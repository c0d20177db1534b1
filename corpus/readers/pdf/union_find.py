"""Disjoint sets: each item points to another of its set, up to the root that names the set."""

from __future__ import annotations

from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Parents(Protocol[Item]):
    """A mapping or list from item to parent; a root is its own parent."""

    def __getitem__(self, item: Item, /) -> Item: ...
    def __setitem__(self, item: Item, parent: Item, /) -> None: ...


def root_of(parents: Parents[Item], item: Item) -> Item:
    """The root of the item's set. Halves the path on the way (Tarjan and van Leeuwen 1984)."""
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item
