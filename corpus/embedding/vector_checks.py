"""Check a model's output and scale it to unit length."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpus.model_services.service import BadAnswer, NotTheProtocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from corpus.embedding.protocol import Vectors


class WrongLength(BadAnswer):
    """The vectors have the length `length`, which differs from the configured one."""

    def __init__(self, length: int) -> None:
        super().__init__(f"vectors of {length} numbers")
        self.length = length


def unit_rows(rows: Sequence[NDArray[Any]], dimensions: int) -> Vectors:
    """Return unit vectors, float32, shape (len(rows), dimensions). Raises WrongLength, or BadAnswer if a vector is zero
    or not finite."""
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
    """Parse the vectors, in the order of the texts, from a response in OpenAI's protocol. Raises NotTheProtocol or
    BadAnswer."""
    try:
        data = json.loads(body)["data"]
        # Services that generate JSON from protobuf omit an index of 0.
        vectors = {entry.get("index", 0): _numbers(entry["embedding"]) for entry in data}
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise NotTheProtocol("no embeddings") from error
    if len(data) != count or set(vectors) != set(range(count)):
        raise BadAnswer(f"{len(data)} vectors for {count} texts, or did not number them")
    return [vectors[place] for place in range(count)]


def _numbers(value: Any) -> NDArray[Any]:
    import numpy as np

    if isinstance(value, list):
        numbers = np.asarray(value, dtype=np.float64)
    else:
        try:
            numbers = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        except binascii.Error as error:
            raise ValueError("neither numbers nor base64") from error
    if numbers.ndim != 1:
        raise ValueError("not one row of numbers")
    return numbers
