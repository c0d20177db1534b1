"""Where a list goes on: the number of the next document, and the last few that were shown, which say it better.

Documents come, go and move between two pages, so the number alone would lose or repeat some.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields

from corpus.documents.block import KEY
from corpus.index.azure.connection import MOST_SKIPPED
from corpus.lookup.not_found import foreign_cursor
from corpus.search import Listing

ANCHORS = 5
"""Documents of a page that its cursor remembers."""
LONGEST_CURSOR = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """`number` documents come before, `anchors` being the ids of the last of these."""

    number: int = 0
    anchors: tuple[str, ...] = ()


def cursor(listing: Listing, number: int, shown: Sequence[str]) -> str:
    """`shown` are the ids of the page that ends at this number."""
    place = json.dumps([_digest(listing), number, *shown[-ANCHORS:]])
    return base64.urlsafe_b64encode(place.encode()).decode()


def place_of(listing: Listing) -> Place:
    """Raises InvalidRequest for a cursor of another list: of other filters, words or another order."""
    if listing.after is None:
        return Place()
    try:
        digest, number, *anchors = json.loads(base64.urlsafe_b64decode(listing.after[:LONGEST_CURSOR]))
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # not our base64, not JSON, too few values, a tower of lists
        raise foreign_cursor(listing.sort_by) from None
    counted = isinstance(number, int) and not isinstance(number, bool) and 0 < number <= MOST_SKIPPED
    keys = 0 < len(anchors) <= ANCHORS and all(isinstance(one, str) and KEY.fullmatch(one) for one in anchors)
    if digest != _digest(listing) or not counted or not keys:
        raise foreign_cursor(listing.sort_by)
    return Place(number, tuple(anchors))


def begin_after(ids: Sequence[str], anchors: Sequence[str], expected: int) -> int:
    """Where in `ids` the next page begins: after those of the anchors that still stand side by side.

    One that moved alone carries nothing along. Of several groups that one counts which ends nearest to where the page
    was `expected`, but not beyond it if there is another: to show a document again is better than to skip one.
    """
    places = {one: place for place, one in enumerate(ids)}
    known = [places[one] for one in anchors if one in places]
    side_by_side: dict[int, list[int]] = defaultdict(list)
    for nth, place in enumerate(known):
        side_by_side[place - nth].append(place)
    groups = list(side_by_side.values())
    ends = [group[-1] + 1 for group in groups if len(group) > 1] or [group[-1] + 1 for group in groups]
    # Where all of them are gone, what follows has moved up by as many.
    return min(
        ends, key=lambda end: (end > expected, abs(end - expected)), default=max(0, expected - len(anchors))
    )


def _digest(listing: Listing) -> str:
    wanted = {one.name: getattr(listing.filters, one.name) for one in fields(listing.filters)}
    # The order of the values of a filter says nothing.
    wanted = {
        name: sorted(set(value)) if isinstance(value, tuple) else value for name, value in wanted.items()
    }
    said = json.dumps([listing.sort_by, listing.query or "", wanted])
    return hashlib.sha256(said.encode()).hexdigest()[:16]
