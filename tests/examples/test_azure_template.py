"""The Azure template: the names in it exist, its roles are the documented ones, and its parts fit together."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.create_indexes import SEMANTIC
from corpus.index.azure.schema.fields import VECTORS
from server.http.lifecycle import PATHS
from server.settings.model import load_settings, variables
from tests.examples.bicep import declared, environment, expression, filled, references, values_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "azure"
TEMPLATE = (FOLDER / "main.bicep").read_text(encoding="utf-8")
README = (FOLDER / "README.md").read_text(encoding="utf-8")
OTHERS = {"AZURE_CLIENT_ID"}
"""Variables that azure-identity reads."""
ROLES = {
    "Search Index Data Reader": "1407120a-92aa-4202-b7e9-c0e197c71c8f",
    "Search Index Data Contributor": "8ebe5a00-799e-43f5-93ac-243d3dce84a7",
    "Search Service Contributor": "7ca78c08-252a-4471-8644-bb5ff32d4ba0",
    "Storage Blob Data Reader": "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
    "Storage Blob Delegator": "db58b8e5-c6ad-4a2a-8342-4190687cbf4a",
    "Storage Blob Data Contributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "AcrPull": "7f951dda-4ed3-4680-a7ca-43fe172d538d",
}
"""Ids that Microsoft publishes on the page *Azure built-in roles*."""
UNIQUE_STRING = 13
"""Number of characters that the function `uniqueString` returns."""
FACTS = {
    "search.name": "ibid-search-x",
    "storageUrl": "https://ibidx.blob.core.windows.net/pictures",
    "string(pages)": "False",
    "endpoint": "https://ibid.example.org/mcp",
    "host": "ibid.example.org",
    "http-keys": "k" * 32,
    "az.environment().authentication.loginEndpoint": "https://login.microsoftonline.com/",
    "tenant().tenantId": "22222222-2222-2222-2222-222222222222",
    "applicationId": "11111111-1111-1111-1111-111111111111",
    "identity.properties.clientId": "33333333-3333-3333-3333-333333333333",
}
"""Values of the expressions in the container's variables."""


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return values_of(TEMPLATE)


def test_every_setting_exists() -> None:
    names = set(environment(TEMPLATE))
    assert len(names) > 15
    assert names - OTHERS <= set(variables())
    pattern = r"\b(?:RAG|AZURE_SEARCH|AZURE_STORAGE)_[A-Z_]+[A-Z]\b"
    written = set(re.findall(pattern, TEMPLATE)) | set(re.findall(pattern, README))
    assert written <= set(variables())


def test_a_server_starts_with_these_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in filled(environment(TEMPLATE), FACTS).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path))
    settings = load_settings()
    assert settings.backend == "azure"
    assert not settings.shows_pages
    assert settings.azure_embedder == PackagedEmbedder.id
    assert settings.azure_vector_fields == VECTORS
    assert settings.azure_semantic_config == SEMANTIC


def test_roles_are_exactly_the_documented_ones(template: dict[str, Any]) -> None:
    """The table of the README has the columns who, role, id and where."""
    pattern = r"^\| the (server|publisher) \| \*([^*]+)\* \| `([0-9a-f-]{36})` \| the (.+?)[ ,|]"
    rows = re.findall(pattern, README, re.MULTILINE)
    assert {name: id for _, name, id, _ in rows} == ROLES
    ids = template["variables"]["roles"]["value"]
    granted = set()
    for _, config in of_type(template, "Microsoft.Authorization/roleAssignments"):
        properties = config["properties"]
        role = expression(properties["roleDefinitionId"]["function"]["parameters"]["resource_name_1"])
        who = {"identity.properties.principalId": "server", "publisherId": "publisher"}
        granted.add((who[expression(properties["principalId"])], ids[role.removeprefix("roles.")], config["scope"]))
    places = {"search": "search", "container": "pictures", "storage": "storage", "registry": "registry"}
    assert granted == {(who, id, places[where.split()[0]]) for who, _, id, where in rows}
    documented = (ROOT / "docs" / "azure.md").read_text(encoding="utf-8")
    assert all(f"*{role}*" in documented for role in set(ROLES) - {"AcrPull"})


def test_the_template_contains_no_key_and_no_public_access(template: dict[str, Any]) -> None:
    resources = {name: resource["config"].get("properties", {}) for name, resource in template["resources"].items()}
    assert resources["search"]["disableLocalAuth"] is True
    assert resources["pictures"]["publicAccess"] == "None"
    storage = resources["storage"]
    assert not storage["allowBlobPublicAccess"]
    assert not storage["allowSharedKeyAccess"]
    assert storage["supportsHttpsTrafficOnly"] is True
    assert resources["server"]["configuration"]["ingress"]["allowInsecure"] is False
    assert not set(environment(TEMPLATE)) & {
        "AZURE_SEARCH_API_KEY",
        "AZURE_STORAGE_ACCOUNT_KEY",
        "RAG_ALLOW_UNFILTERED",
    }
    secrets = [
        name for name, parameter in template["parameters"].items() if {"type": "secure"} in parameter["decorators"]
    ]
    assert secrets == ["httpKeys"]


def test_probes_and_ports_match_the_server(template: dict[str, Any]) -> None:
    properties = template["resources"]["server"]["config"]["properties"]
    (container,) = properties["template"]["containers"]
    requests = [probe["httpGet"] for probe in container["probes"]]
    assert {probe["type"] for probe in container["probes"]} == {"Startup", "Liveness", "Readiness"}
    assert {request["path"] for request in requests} == set(PATHS)
    (port,) = re.findall(r"^EXPOSE (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    ports = [request["port"] for request in requests] + [properties["configuration"]["ingress"]["targetPort"]]
    assert set(ports) == {int(port)}


def test_every_name_is_declared_and_every_parameter_is_used(template: dict[str, Any]) -> None:
    used = set(references(TEMPLATE))
    assert used <= declared(TEMPLATE)
    assert set(template["parameters"]) | set(template["variables"]) <= used
    without_default = {name for name, parameter in template["parameters"].items() if parameter["default"] is None}
    assert all(f"`{name}`" in README for name in without_default | {"publisherId"})


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("scope: pictures", "scope: picture"),
        ("'${prefix}-identity'", "'${prefx}-identity'"),
        ("'${identity.id}': {}", "'${identities.id}': {}"),
        ("logs.listKeys()", "log.listKeys()"),
        ("dependsOn: [pulls,", "dependsOn: [pull,"),
        ("guid(pictures.id,", "guid(picture.id,"),
        ("empty(hostName) ?", "empty(hostname) ?"),
    ],
)
def test_a_misspelt_name_is_noticed(right: str, wrong: str) -> None:
    assert right in TEMPLATE
    changed = TEMPLATE.replace(right, wrong)
    assert set(references(changed)) - declared(changed)


def test_every_resource_has_a_dated_version_and_a_valid_name(template: dict[str, Any]) -> None:
    resources = template["resources"].values()
    assert len(resources) >= 12
    for resource in resources:
        assert re.fullmatch(r"Microsoft\.[A-Za-z]+(?:/[a-zA-Z]+)+", resource["type"])
        assert date.fromisoformat(resource["api_version"])
    assert template["resources"]["storage"]["config"]["name"] == "${prefix}${suffix}"
    (longest,) = [
        one["argument"] for one in template["parameters"]["prefix"]["decorators"] if one["type"] == "max_length"
    ]
    assert longest + UNIQUE_STRING <= 24  # a storage account


def test_the_image_is_built_from_a_lock_with_the_blob_storage_client() -> None:
    lock = (ROOT / "requirements" / "azure.txt").read_text(encoding="utf-8")
    plain = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    assert set(_pins(plain)) < set(_pins(lock))
    assert {pin.partition("==")[0] for pin in set(_pins(lock)) - set(_pins(plain))} == {"azure-storage-blob"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "ARG LOCK=run" in dockerfile
    assert "--build-arg LOCK=azure" in README


def _pins(lock: str) -> list[str]:
    return re.findall(r"^([a-z0-9-]+==[^ ;\\]+)", lock, re.MULTILINE)


def of_type(template: dict[str, Any], type: str) -> list[tuple[str, dict[str, Any]]]:
    """Return resources by name. For a condition, return the resource that it deploys."""
    return [
        (name, resource["config"].get("config", resource["config"]))
        for name, resource in template["resources"].items()
        if resource["type"] == type
    ]
