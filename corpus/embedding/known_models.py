"""Known embedding models, with their dimensions, prefixes and token limits. Texts are cut to fit them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.errors import NotConfigured
from corpus.text.normalization import clean, token_estimate

_RUN = re.compile(r"\S{200}")
"""A long run without spaces. The packaged engine needs seconds for longer runs."""


def fit_tokens(text: str, max_tokens: int) -> str:
    """Return clean, non-empty text of at most about `max_tokens` tokens, without unbroken runs of more than 200
    characters.

    The packaged engine needs seconds for a long run without a space, and stops reading at a NUL.
    """
    text = clean(text[: 8 * max_tokens]).strip()
    while (tokens := token_estimate(text)) > max_tokens:
        text = text[: max(1, len(text) * max_tokens // tokens - 1)]
    return _RUN.sub(r"\g<0> ", text) or "."


def fit_bytes(text: str, max_bytes: int) -> str:
    """Return clean, non-empty text of at most `max_bytes` bytes in UTF-8. A byte-level tokenizer produces at most one
    token per byte in any language."""
    text = clean(text[: 2 * max_bytes]).strip()
    return text.encode()[:max_bytes].decode(errors="ignore").rstrip() or "."


_OPENAI_TOKENS = 8191
"""Token limit of OpenAI's models. If a service has a lower limit and refuses a text, the text is cut further."""


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model. `tokens` is its token limit; `shortens` is true if the service can return shorter vectors.

    Models with prefixes were trained with them. Without them, retrieval is worse, although no error is reported.
    """

    dimensions: int | None
    tokens: int = _OPENAI_TOKENS
    shortens: bool = False
    query_prefix: str = ""
    passage_prefix: str = ""

    def query(self, text: str) -> str:
        """Return the query with its prefix, cut to the token limit."""
        return self.query_prefix + self._cut(text)

    def passage(self, text: str) -> str:
        """Return the passage with its prefix, cut to the token limit."""
        return self.passage_prefix + self._cut(text)

    def _cut(self, text: str) -> str:
        if self.tokens >= 2048:
            return fit_bytes(text, self.tokens)
        # The estimate assumes four characters per token; German and code have fewer than three.
        return fit_tokens(text, self.tokens * 2 // 3)


@dataclass(frozen=True, slots=True)
class Sizing:
    """The vector length, the `dimensions` parameter for the service (None to omit it), and the embedder's id."""

    dimensions: int
    parameter: int | None
    id: str


_UNKNOWN = Model(None)


def _e5(dimensions: int) -> Model:
    """Return an E5 model: both prefixes, 512 tokens (Wang et al., "Multilingual E5 Text Embeddings", 2024)."""
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


def known_model(name: str) -> Model:
    """Return the model with this name, which may include its owner (`intfloat/…`) or a tag (`…:latest`)."""
    return _KNOWN.get(name.rpartition("/")[2].partition(":")[0].lower(), _UNKNOWN)


def sizing(name: str, dimensions: int | None) -> Sizing:
    """Return the model's sizing. Raises NotConfigured if the vector length is unknown or impossible.

    A request includes a length only to shorten the vectors of a model that supports this, because other services refuse
    the parameter.
    """
    model = known_model(name)
    own = model.dimensions
    length = dimensions or own
    if length is None:
        raise NotConfigured(
            f"The vector length of {name} is unknown. Set RAG_EMBEDDER_DIMENSIONS to the value in its description."
        )
    if own is None or length == own:
        return Sizing(length, None, name)
    if not model.shortens or length > own:
        raise NotConfigured(f"{name} gives vectors of {own} numbers, not of {length}. Unset RAG_EMBEDDER_DIMENSIONS.")
    return Sizing(length, length, f"{name}@{length}")
