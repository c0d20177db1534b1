"""The template for Azure: what it names exists, its roles are those that are documented, and its parts fit together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.create_indexes import SEMANTIC
from corpus.index.azure.schema.fields import VECTORS
from server.http.health import PATHS
from server.settings.model import load_settings, variables

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "azure"
TEMPLATE = (FOLDER / "main.bicep").read_text(encoding="utf-8")
BARE = re.sub(r"//.*", "", re.sub(r"'(?:[^'\\]|\\.)*'", "''", TEMPLATE))
"""Without comments and texts."""
OTHERS = {"AZURE_CLIENT_ID"}
"""Read by azure-identity."""
ROLES = {
    "Search Index Data Reader": "1407120a-92aa-4202-b7e9-c0e197c71c8f",
    "Search Index Data Contributor": "8ebe5a00-799e-43f5-93ac-243d3dce84a7",
    "Search Service Contributor": "7ca78c08-252a-4471-8644-bb5ff32d4ba0",
    "Storage Blob Data Reader": "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
    "Storage Blob Delegator": "db58b8e5-c6ad-4a2a-8342-4190687cbf4a",
    "Storage Blob Data Contributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "AcrPull": "7f951dda-4ed3-4680-a7ca-43fe172d538d",
}


def environment() -> dict[str, str]:
    """What the container is started with, as it is written."""
    found = re.findall(r"\{ name: '([A-Z_]+)', (?:value|secretRef): (.+?) \}(?: //.*)?$", TEMPLATE, re.MULTILINE)
    return {name: value.strip("'") for name, value in found}


def test_every_setting_exists() -> None:
    names = set(environment())
    assert len(names) > 15
    assert names - OTHERS <= set(variables())
    written = set(re.findall(r"\b(?:RAG|AZURE_SEARCH|AZURE_STORAGE)_[A-Z_]+[A-Z]\b", TEMPLATE))
    written |= set(
        re.findall(r"\b(?:RAG|AZURE_SEARCH|AZURE_STORAGE)_[A-Z_]+[A-Z]\b", (FOLDER / "README.md").read_text())
    )
    assert written <= set(variables())


def test_a_server_starts_with_these_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stands_for = {
        "https://${search.name}.search.windows.net": "https://ibid-search-x.search.windows.net",
        "storageUrl": "https://ibidx.blob.core.windows.net/pictures", "string(pages)": "False",
        "endpoint": "https://ibid.example.org/mcp", "host": "ibid.example.org", "http-keys": "k" * 32,
        "${az.environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0":
            "https://login.microsoftonline.com/22222222-2222-2222-2222-222222222222/v2.0",
        "${applicationId},${endpoint}": "11111111-1111-1111-1111-111111111111,https://ibid.example.org/mcp",
        "${endpoint}/rag.read": "https://ibid.example.org/mcp/rag.read",
        "identity.properties.clientId": "33333333-3333-3333-3333-333333333333",
    }  # fmt: skip
    for name, value in environment().items():
        assert value in stands_for or not re.search(r"[${}()]|^\w+\.\w", value), (name, value)
        monkeypatch.setenv(name, stands_for.get(value, value))
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path))
    settings = load_settings()
    assert settings.backend == "azure"
    assert not settings.shows_pages
    assert settings.azure_embedder == PackagedEmbedder.id
    assert settings.azure_vector_fields == VECTORS
    assert settings.azure_semantic_config == SEMANTIC


def test_roles_are_those_that_are_documented_and_no_more() -> None:
    declared = dict(re.findall(r"^  (\w+): '([0-9a-f-]{36})'$", TEMPLATE, re.MULTILINE))
    assert set(declared.values()) == set(ROLES.values())
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    documented = (ROOT / "docs" / "azure.md").read_text(encoding="utf-8")
    for role in ROLES:
        assert f"*{role}*" in readme
        assert role == "AcrPull" or f"*{role}*" in documented
    of_server = re.findall(r"principalId: identity\.[^}]+?, roles\.(\w+)\)", TEMPLATE)
    assert {declared[name] for name in of_server} == {
        ROLES[role]
        for role in (
            "Search Index Data Reader",
            "Storage Blob Data Reader",
            "Storage Blob Delegator",
            "AcrPull",
        )
    }
    assert set(declared) == set(re.findall(r"\broles\.(\w+)", TEMPLATE))


def test_no_key_and_no_public_access_is_in_it() -> None:
    for line in ("allowBlobPublicAccess: false", "allowSharedKeyAccess: false", "publicAccess: 'None'",
                 "disableLocalAuth: true", "allowInsecure: false", "supportsHttpsTrafficOnly: true"):  # fmt: skip
        assert line in TEMPLATE
    assert not set(environment()) & {
        "AZURE_SEARCH_API_KEY",
        "AZURE_STORAGE_ACCOUNT_KEY",
        "RAG_ALLOW_UNFILTERED",
    }
    secrets = re.findall(r"@secure\(\)\n(?:@.+\n)*param (\w+)", TEMPLATE)
    assert secrets == ["httpKeys"]


def test_probes_and_ports_are_those_of_the_server() -> None:
    assert set(re.findall(r"path: '(/\w+)'", TEMPLATE)) == set(PATHS)
    (port,) = re.findall(r"^EXPOSE (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert set(re.findall(r"(?:port|targetPort): (\d+)", TEMPLATE)) == {port}


def test_brackets_close_and_every_name_is_declared() -> None:
    assert list(_unclosed(BARE)) == []
    declared = set(re.findall(r"^(?:param|var|resource|output) (\w+)", TEMPLATE, re.MULTILINE))
    used = set(re.findall(r"\$\{(\w+)[.}]", TEMPLATE)) | set(re.findall(r"\b(\w+)\.(?:id|name|properties)\b", BARE))
    used |= set(re.findall(r"(?:scope|parent): (\w+)$", BARE, re.MULTILINE))
    assert used - {"az", "resourceGroup", "tenant"} <= declared
    parameters = set(re.findall(r"^param (\w+)", TEMPLATE, re.MULTILINE))
    without_default = set(re.findall(r"^param (\w+) \w+$", TEMPLATE, re.MULTILINE))
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in readme for name in without_default | {"publisherId"})
    for name in parameters:
        assert len(re.findall(rf"\b{name}\b", TEMPLATE)) > 1, name


def test_every_resource_names_a_type_with_a_version() -> None:
    resources = re.findall(r"^resource \w+ '([^']+)'", TEMPLATE, re.MULTILINE)
    assert len(resources) >= 12
    assert all(re.fullmatch(r"Microsoft\.[A-Za-z]+(?:/[a-zA-Z]+)+@20\d\d-\d\d-\d\d", one) for one in resources)


def test_the_image_is_built_from_a_lock_that_has_the_client_of_blob_storage() -> None:
    lock = (ROOT / "requirements" / "azure.txt").read_text(encoding="utf-8")
    plain = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    assert set(_pins(plain)) < set(_pins(lock))
    assert {pin.partition("==")[0] for pin in set(_pins(lock)) - set(_pins(plain))} == {"azure-storage-blob"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "ARG LOCK=run" in dockerfile
    assert "--build-arg LOCK=azure" in (FOLDER / "README.md").read_text(encoding="utf-8")


def _pins(lock: str) -> list[str]:
    return re.findall(r"^([a-z0-9-]+==[^ ;\\]+)", lock, re.MULTILINE)


def _unclosed(text: str) -> Iterator[str]:
    """Brackets that nothing closes, or that close nothing."""
    pairs, opened = {")": "(", "]": "[", "}": "{"}, []
    for letter in text:
        if letter in pairs.values():
            opened.append(letter)
        elif letter in pairs and (not opened or opened.pop() != pairs[letter]):
            yield letter
    yield from opened
