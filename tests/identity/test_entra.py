"""Microsoft Entra ID, as its documentation describes it: one tenant, tokens of both versions, roles as scopes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError

from corpus.access import Caller
from server.identity.identity_parts import Identity
from server.settings.model import Settings
from tests.doubles.issuer import TENANT, Issuer
from tests.identity.known import admitted, known

pytestmark = pytest.mark.anyio

OTHER = "99999999-2222-3333-4444-555555555555"
APPLICATION = "22222222-2222-3333-4444-555555555555"
ASKED_FOR = f"api://{APPLICATION}/rag.read"
BASE = {"RAG_AUTH_PRESET": "entra", "RAG_AUTH_AUDIENCE": f"{APPLICATION},api://{APPLICATION}"}


@pytest.fixture
async def tenant() -> AsyncIterator[Issuer]:
    async with Issuer(f"/{TENANT}/v2.0") as running:
        yield running


@pytest.fixture
async def found(tenant: Issuer) -> AsyncIterator[Identity]:
    async with known(BASE | {"RAG_AUTH_ISSUER": tenant.url}) as identity:
        yield identity


def claims(**changes: Any) -> dict[str, Any]:
    usual = {
        "aud": APPLICATION, "oid": "o-ann", "tid": TENANT, "scope": None, "scp": "rag.read", "ver": "2.0",
        "groups": ["g-board"], "roles": ["reader"], "preferred_username": "ann@example.org",
    }  # fmt: skip
    return usual | changes


async def test_the_caller_is_the_person_in_the_tenant_with_groups_and_roles(found: Identity, tenant: Issuer) -> None:
    token = await admitted(found, tenant.token("pairwise", **claims()))
    assert token is not None
    assert token.who == Caller("o-ann", org_id=TENANT, groups=frozenset({"g-board", "reader"}))
    assert token.scopes == found.auth.required_scopes == [ASKED_FOR]


async def test_a_version_1_token_is_accepted(found: Identity, tenant: Issuer) -> None:
    old = claims(iss=f"https://sts.windows.net/{TENANT}/", aud=f"api://{APPLICATION}", ver="1.0")
    assert await admitted(found, tenant.token(**old)) is not None


async def test_an_application_token_has_its_permission_among_roles(found: Identity, tenant: Issuer) -> None:
    token = await admitted(found, tenant.token(**claims(scp=None, roles=["rag.read"], idtyp="app")))
    assert token is not None
    assert token.scopes == [ASKED_FOR]


async def test_a_role_that_is_not_the_permission_grants_nothing(found: Identity, tenant: Issuer) -> None:
    token = await admitted(found, tenant.token(**claims(scp=None, roles=["reader"])))
    assert token is not None
    assert token.scopes == []


@pytest.mark.parametrize("changes", [
    {"iss": f"https://sts.windows.net/{OTHER}/", "tid": OTHER},
    {"iss": f"https://login.microsoftonline.com/{OTHER}/v2.0", "tid": OTHER},
    {"tid": OTHER}, {"tid": None}, {"tid": [TENANT]}, {"tid": ""},
])  # fmt: skip
async def test_another_tenant_is_refused(found: Identity, tenant: Issuer, changes: dict[str, Any]) -> None:
    assert await admitted(found, tenant.token(**claims(**changes))) is None


@pytest.mark.parametrize("place", ["common", "organizations", "consumers", "example.onmicrosoft.com"])
def test_an_issuer_without_a_tenant_is_refused_at_the_start(place: str) -> None:
    with pytest.raises(ValidationError, match="names no tenant"):
        settings(RAG_AUTH_ISSUER=f"https://login.microsoftonline.com/{place}/v2.0")


def test_tenants_in_addition_to_a_single_tenant_issuer_are_refused_at_the_start() -> None:
    issuer = f"https://login.microsoftonline.com/{TENANT}/v2.0"
    with pytest.raises(ValidationError, match="RAG_AUTH_TENANTS"):
        settings(RAG_AUTH_ISSUER=issuer, RAG_AUTH_TENANTS=OTHER)


async def test_of_several_tenants_only_listed_ones_are_admitted() -> None:
    async with Issuer("/organizations/v2.0") as issuer:
        issuer.metadata = {"issuer": f"{issuer.origin}/{{tenantid}}/v2.0"}
        listed = {"RAG_AUTH_ISSUER": issuer.url, "RAG_AUTH_TENANTS": TENANT.upper()}
        async with known(BASE | listed) as found:
            for tenant, admits in ((TENANT, True), (OTHER, False)):
                own = claims(iss=f"{issuer.origin}/{tenant}/v2.0", tid=tenant)
                assert (await admitted(found, issuer.token(**own)) is not None) is admits
            crossed = claims(iss=f"{issuer.origin}/{TENANT}/v2.0", tid=OTHER)
            assert await admitted(found, issuer.token(**crossed)) is None


async def test_metadata_of_another_tenant_yields_no_keys(tenant: Issuer) -> None:
    tenant.metadata = {"issuer": f"{tenant.origin}/{OTHER}/v2.0"}
    async with known(BASE | {"RAG_AUTH_ISSUER": tenant.url}) as found:
        assert await admitted(found, tenant.token(**claims())) is None


async def test_a_scope_with_its_application_is_requested_unchanged(tenant: Issuer) -> None:
    own = {"RAG_AUTH_ISSUER": tenant.url, "RAG_AUTH_SCOPE": "https://ibid.example.org/documents.read"}
    async with known(BASE | own) as found:
        token = await admitted(found, tenant.token(**claims(scp="documents.read")))
    assert token is not None
    assert token.scopes == ["https://ibid.example.org/documents.read"]


def settings(**variables: str) -> Settings:
    return Settings(**(BASE | variables))  # type: ignore[arg-type]
