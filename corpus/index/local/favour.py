"""What the vectors of an embedder give to a language, taken back.

A multilingual embedder puts a question nearer to passages of its own language than to those of another that say the
same. Where an index holds several languages, the passages of each are therefore compared with the mean of their own:
mean-centring by language (Libovický, Rosa and Fraser 2020), here on the cosines of one question instead of on vectors.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local.by_document import AMONG, by_document

UNKNOWN = 0


@dataclass(frozen=True, slots=True)
class Languages:
    """The number of each document's language, by row id; the last entry of `table` stands for no document. `numbers`
    are those of all languages that there were."""

    table: NDArray[np.int16]
    numbers: Mapping[str, int]

    @property
    def several(self) -> bool:
        return len(self.numbers) > 1

    def of(self, docs: NDArray[np.int64]) -> NDArray[np.int16]:
        """For each row id; of one that was never seen the language is not known."""
        return self.table[np.where(docs < len(self.table), docs, -1)]


def languages(
    connection: sqlite3.Connection, known: Languages | None = None, changed: Sequence[int] = ()
) -> Languages:
    """Of all documents; with `known`, only those that changed since are looked at."""
    among, held = (f"AND {AMONG}", [json.dumps(changed)]) if known else ("", [])
    rows = connection.execute(
        f"SELECT id, language FROM documents WHERE language IS NOT NULL {among}", held
    ).fetchall()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM documents").fetchone()
    table = by_document(known.table if known else None, changed, last, np.dtype(np.int16))
    numbers = dict(known.numbers) if known else {}
    of_tag: dict[str, int] = {}
    for doc, tag in rows:
        number = of_tag.get(tag)
        if number is None:
            language = tag.split("-")[0].lower()
            number = of_tag[tag] = numbers.setdefault(language, len(numbers) + 1)
        table[doc] = number
    return Languages(table, numbers)


def corrections(near: Vectors, spoken: NDArray[np.int16], share: float, doubt: float) -> Vectors | None:
    """What to add to a cosine, by number of language; None where there is nothing to even out.

    `near` are the cosines of all passages that may be found, `spoken` the languages of each. `share` (0..1) is how much
    of the difference of the means is taken back. With few passages a mean is that of a subject rather than of a
    language: `doubt` is the number of passages with which half of it is believed. What has no known language is left
    alone.
    """
    counts = np.bincount(spoken)
    if not share or np.count_nonzero(counts[UNKNOWN + 1 :]) < 2:
        return None
    means = np.bincount(spoken, weights=near) / np.maximum(counts, 1)
    added = share * counts / (counts + doubt) * (float(near.mean()) - means)
    added[UNKNOWN] = 0.0
    return np.asarray(added, dtype=np.float32)
