"""A missing optional package disables only the features that need it, and a warning contains the fix."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.embedding import packaged
from corpus.errors import NotConfigured
from corpus.model_services import service
from corpus.search import Listing
from corpus.synthesis.request import SynthesisRequest
from server import bootstrap
from server.settings import telemetry
from server.settings.model import Settings, load_settings
from server.tracing import traced, traced_calls

CURE = "pip install 'ibid-mcp["
NEEDY = {
    "model": {"RAG_LLM_MODEL": "gpt-4o-mini"},
    "embedder over http": {"RAG_EMBEDDER": "openai", "RAG_EMBEDDER_MODEL": "text-embedding-3-small"},
    "embedder here": {"RAG_EMBEDDER": "fastembed", "RAG_EMBEDDER_MODEL": "BAAI/bge-small-en-v1.5"},
    "reranker": {"RAG_RERANKER": "fastembed", "RAG_RERANKER_MODEL": "jina"},
    "figures": {"RAG_LLM_MODEL": "gpt-4o-mini", "RAG_DESCRIBE_FIGURES": "true"},
}


@pytest.fixture
def indexed(run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    (notes / "valves.md").write_text("# Valves\n\nThe impeller valve closes at 12 bar.\n")
    assert run("ingest", notes).exit_code == 0
    monkeypatch.setattr(service, "find_spec", lambda name: None)


def needing(monkeypatch: pytest.MonkeyPatch, values: dict[str, str]) -> Settings:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.mark.anyio
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("needy", NEEDY)
async def test_search_list_get_and_compose_work_without_the_package(
    needy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bootstrap.library(needing(monkeypatch, NEEDY[needy])) as shelf:
        found = await shelf.search("impeller", ANONYMOUS)
        assert len(found.hits) == 2
        listed = await shelf.list_documents(Listing(), ANONYMOUS)
        assert (await shelf.get_document(ANONYMOUS, doc_id=listed.documents[0].doc_id)).document.filename
        request = SynthesisRequest("How fast does the impeller turn?", mode="compose")
        assert "2900" in (await shelf.synthesize(request, ANONYMOUS)).answer


@pytest.mark.anyio
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("needy", ["embedder over http", "embedder here", "reranker"])
async def test_a_search_names_the_missing_package(needy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bootstrap.library(needing(monkeypatch, NEEDY[needy])) as shelf:
        found = await shelf.search("impeller", ANONYMOUS)
        assert any(CURE in warning for warning in found.warnings)


@pytest.mark.anyio
@pytest.mark.usefixtures("indexed")
async def test_an_answer_that_a_model_should_write_is_composed_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bootstrap.library(needing(monkeypatch, NEEDY["model"])) as shelf:
        answer = await shelf.synthesize(SynthesisRequest("How fast does the impeller turn?"), ANONYMOUS)
        assert "2900" in answer.answer
        assert answer.mode == "compose"
        assert any("gpt-4o-mini wrote no answer" in one and CURE in one for one in answer.warnings)


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("needy", ["embedder over http", "embedder here"])
def test_documents_are_read_without_their_vectors(  # type: ignore[no-untyped-def]
    needy: str, run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "more.md").write_text("The gasket is made of cork.")
    needing(monkeypatch, NEEDY[needy])
    done = run("ingest", notes)
    assert done.exit_code == 0
    assert "1 added" in done.output
    assert CURE in done.output
    assert "cork" in run("search", "gasket").output


@pytest.mark.anyio
@pytest.mark.usefixtures("indexed")
async def test_a_folder_without_the_model_leaves_keyword_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "find_spec", find_spec)
    values = {"RAG_EMBEDDER": "fastembed", "RAG_EMBEDDER_MODEL": "m", "RAG_EMBEDDER_FOLDER": str(tmp_path)}
    async with bootstrap.library(needing(monkeypatch, values)) as shelf:
        found = await shelf.search("impeller", ANONYMOUS)
        assert found.hits
        assert any("RAG_EMBEDDER_FOLDER" in warning for warning in found.warnings)


def test_tokens_are_estimated_if_the_weights_are_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(self: object) -> None:
        raise NotConfigured("The weights are damaged.")

    monkeypatch.setattr(packaged, "is_installed", lambda: True)
    monkeypatch.setattr(packaged.PackagedEmbedder, "_model", damaged)
    assert packaged.token_count("The impeller turns.") > 0


@pytest.mark.usefixtures("indexed")
def test_figures_that_a_model_should_describe_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    additions = bootstrap.by_model(needing(monkeypatch, NEEDY["figures"]))
    assert additions
    assert additions.mark == "+figures:gpt-4o-mini"


@pytest.mark.usefixtures("indexed")
def test_doctor_still_fails_if_a_package_is_missing(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    needing(monkeypatch, NEEDY["model"])
    done = run("doctor")
    assert done.exit_code == 1
    assert CURE in done.output.replace("\n         ", " ")


def test_traces_that_cannot_be_sent_stop_nothing(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(telemetry, "find_spec", lambda name: None)
    settings = needing(monkeypatch, {"RAG_TRACES": "otlp"})
    with traced(settings):
        assert traced_calls(settings) == ()
    assert "warning  traces" in run("doctor").output


def test_a_backend_that_cannot_be_opened_is_still_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = needing(monkeypatch, {"RAG_LLM_MODEL": "gpt-4o-mini"})
    with pytest.raises(NotConfigured, match="AZURE_SEARCH_ENDPOINT"):
        bootstrap.azure_service(settings)
