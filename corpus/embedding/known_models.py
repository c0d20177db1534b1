"""Models whose measures are known, so that the operator need not name them."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.embedding.fitting import fitted, fitted_bytes
from corpus.errors import NotConfigured

_LONGEST = 8191
"""Tokens, of the models of OpenAI; a service with a shorter one is found out when it refuses."""


@dataclass(frozen=True, slots=True)
class Model:
    """What its vectors are like and how its texts are written. `tokens` is what it sees of a text.

    The prefixes are part of what the model was trained on: without them it finds worse, and says nothing.
    """

    dimensions: int | None
    tokens: int = _LONGEST
    shortens: bool = False
    query_prefix: str = ""
    passage_prefix: str = ""

    def query(self, text: str) -> str:
        return self.query_prefix + self._cut(text)

    def passage(self, text: str) -> str:
        return self.passage_prefix + self._cut(text)

    def _cut(self, text: str) -> str:
        if self.tokens >= 2048:
            return fitted_bytes(text, self.tokens)
        # The estimate counts four letters a token; German and code in a small vocabulary have fewer than three.
        return fitted(text, self.tokens * 2 // 3)


@dataclass(frozen=True, slots=True)
class Sizing:
    """The length of the vectors, the length to ask the service for (None: its own), and the embedder's id."""

    dimensions: int
    asked: int | None
    id: str


_UNKNOWN = Model(None)


def _e5(dimensions: int) -> Model:
    return Model(dimensions, 512, query_prefix="query: ", passage_prefix="passage: ")


_NOMIC = Model(768, query_prefix="search_query: ", passage_prefix="search_document: ")
_SENTENCE = "Represent this sentence for searching relevant passages: "
_MXBAI = Model(1024, 512, query_prefix=_SENTENCE)
_KNOWN = {
    "text-embedding-3-small": Model(1536, shortens=True),
    "text-embedding-3-large": Model(3072, shortens=True),
    "text-embedding-ada-002": Model(1536),
    "mistral-embed": Model(1024),
    "bge-m3": Model(1024),
    "multilingual-e5-small": _e5(384),
    "multilingual-e5-base": _e5(768),
    "multilingual-e5-large": _e5(1024),
    "nomic-embed-text": _NOMIC,
    "nomic-embed-text-v1.5": _NOMIC,
    "mxbai-embed-large": _MXBAI,
    "mxbai-embed-large-v1": _MXBAI,
}


def known(name: str) -> Model:
    """The model of that name, also with its owner before it (`intfloat/…`) or a tag behind it (`…:latest`)."""
    return _KNOWN.get(name.rpartition("/")[2].partition(":")[0].lower(), _UNKNOWN)


def sizing(name: str, dimensions: int | None) -> Sizing:
    """Raises NotConfigured where the length cannot be known or had.

    A length is asked for only where it shortens a model that can be shortened: other services refuse the wish.
    """
    model = known(name)
    own = model.dimensions
    length = dimensions or own
    if length is None:
        raise NotConfigured(
            f"The length of the vectors of {name} is not known here. "
            "Set RAG_EMBEDDER_DIMENSIONS to what its description says."
        )
    if own is None or length == own:
        return Sizing(length, None, name)
    if not model.shortens or length > own:
        raise NotConfigured(
            f"{name} gives vectors of {own} numbers, not of {length}. Unset RAG_EMBEDDER_DIMENSIONS."
        )
    return Sizing(length, length, f"{name}@{length}")
