"""Shared parts of the search tests: a pump manual, indexes with more features, and the requests to the service."""

from __future__ import annotations

from typing import Any

from tests.azure.design_index import CONTENT, content_index
from tests.azure.design_shelf import DesignShelf
from tests.shelf import a_document, figure, texts

SEMANTIC = {
    "semantic": {
        "defaultConfiguration": "best",
        "configurations": [
            {"name": "best", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "content"}]}}
        ],
    }
}


def with_vectorizer() -> dict[str, Any]:
    search = dict(content_index()["vectorSearch"])
    kind = {
        "name": "own",
        "kind": "azureOpenAI",
        "azureOpenAIParameters": {"resourceUri": "https://x", "modelName": "m"},
    }
    return {
        "vectorSearch": search
        | {"vectorizers": [kind], "profiles": [{"name": "plain", "algorithm": "near", "vectorizer": "own"}]}
    }


async def pumps(shelf: DesignShelf) -> None:
    await shelf.put(
        a_document(),
        *texts("manual", "The pump needs oil.", "Bananas are yellow."),
        figure("manual", "Oil pump", 3),
    )


def asked(shelf: DesignShelf, index: str = CONTENT) -> list[dict[str, Any]]:
    return [one.body for one in shelf.service.requests if (one.operation, one.index) == ("search", index)]
