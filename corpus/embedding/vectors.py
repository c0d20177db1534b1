"""What came out of a model, checked and brought to unit length."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpus.services.answers import BadAnswer, NotTheProtocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from corpus.embedding.protocol import Vectors


class WrongLength(BadAnswer):
    """Vectors of `found` numbers."""

    def __init__(self, found: int) -> None:
        super().__init__(f"vectors of {found} numbers")
        self.found = found


def unit_rows(rows: Sequence[NDArray[Any]], dimensions: int) -> Vectors:
    """Unit vectors, float32, shape (len(rows), dimensions). Raises BadAnswer for what has no direction."""
    import numpy as np

    for row in rows:
        if row.shape != (dimensions,):
            raise WrongLength(row.size)
    stacked = np.array(rows, dtype=np.float64).reshape(len(rows), dimensions)
    norms = np.linalg.norm(stacked, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise BadAnswer("a vector with numbers that are not finite")
    if not (norms > 0).all():
        raise BadAnswer("a vector of zeros")
    return np.asarray(stacked / norms, dtype=np.float32)


def rows_of(body: bytes, count: int) -> list[NDArray[Any]]:
    """The vectors of an answer in the protocol of OpenAI, in the order of the texts. Raises BadAnswer."""
    try:
        data = json.loads(body)["data"]
        # Services that write their JSON from protobuf leave out a number that is 0.
        found = {entry.get("index", 0): _numbers(entry["embedding"]) for entry in data}
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise NotTheProtocol("no embeddings") from error
    if len(data) != count or set(found) != set(range(count)):
        raise BadAnswer(f"{len(data)} vectors for {count} texts, or did not number them")
    return [found[place] for place in range(count)]


def _numbers(given: Any) -> NDArray[Any]:
    import numpy as np

    if isinstance(given, list):
        numbers = np.asarray(given, dtype=np.float64)
    else:
        try:
            numbers = np.frombuffer(base64.b64decode(given, validate=True), dtype="<f4")
        except binascii.Error as error:
            raise ValueError("neither numbers nor base64") from error
    if numbers.ndim != 1:
        raise ValueError("not one row of numbers")
    return numbers
