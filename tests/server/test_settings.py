from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_data_dir
from pydantic import ValidationError

from corpus.access import Caller
from corpus.errors import NotConfigured
from server.caller import stdio_caller
from server.settings.model import Settings, load_settings, variables


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [one for one in os.environ if one.upper().startswith(("RAG_", "AZURE_"))]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "RAG_BACKEND",
            "azure",
            ("AZURE_SEARCH_ENDPOINT is not set", "https://NAME.search.windows.net", "local"),
        ),
        ("RAG_BACKEND", "sqlite", ("RAG_BACKEND is 'sqlite'", "'local'")),
        ("RAG_EMBEDDER", "word2vec", ("RAG_EMBEDDER is 'word2vec'", "'packaged', 'none'")),
        ("RAG_EMBEDDER", "openai", ("RAG_EMBEDDER_MODEL is not set", "text-embedding-3-small")),
        ("RAG_EMBEDDER_DIMENSIONS", "0", ("RAG_EMBEDDER_DIMENSIONS", "2")),
        ("RAG_EMBEDDER_BASE_URL", "http://models.example/v1", ("RAG_EMBEDDER_BASE_URL", "https://HOST")),
        (
            "AZURE_SEARCH_ENDPOINT",
            "http://acme.search.windows.net",
            ("AZURE_SEARCH_ENDPOINT", "is not https", "https://NAME.search.windows.net"),
        ),
        ("AZURE_SEARCH_API_KEY", "one\ntwo", ("AZURE_SEARCH_API_KEY is not a key", "line break")),
        ("AZURE_OPENAI_API_KEY", "\u201cquoted\u201d", ("AZURE_OPENAI_API_KEY is not a key",)),
        ("RAG_EMBEDDER_API_KEY", " \n", ("RAG_EMBEDDER_API_KEY is not a key",)),
        (
            "AZURE_SEARCH_ENDPOINT",
            "acme.search.windows.net",
            ("does not begin with https://", "https://NAME.search.windows.net"),
        ),
        (
            "AZURE_SEARCH_ENDPOINT",
            "acme",
            ("does not begin with https:// and is not a full host name", "https://NAME.search.windows.net"),
        ),
        (
            "AZURE_SEARCH_ENDPOINT",
            "https://acme.search.windows.net/indexes",
            ("has a path after the host", "https://NAME.search.windows.net"),
        ),
        (
            "AZURE_SEARCH_DOCUMENTS_INDEX",
            "content-blocks",
            ("both name the index content-blocks", "name two"),
        ),
        ("AZURE_SEARCH_ENDPOINT", "https://acme.search.windows.net:99999", ("AZURE_SEARCH_ENDPOINT",)),
        (
            "AZURE_SEARCH_CONTENT_INDEX",
            "Content_Blocks",
            ("AZURE_SEARCH_CONTENT_INDEX", "a-z, 0-9"),
        ),
        ("RAG_AZURE_VECTOR_FIELDS", "content vector", ("RAG_AZURE_VECTOR_FIELDS", "field names")),
        ("RAG_LOG_LEVEL", "loud", ("RAG_LOG_LEVEL", "'INFO'")),
        ("RAG_LOG_FORMAT", "xml", ("RAG_LOG_FORMAT", "'json'")),
        ("RAG_LOG_QUERIES", "perhaps", ("RAG_LOG_QUERIES", "true or false")),
        ("RAG_ALLOW_UNFILTERED", "2", ("RAG_ALLOW_UNFILTERED", "true or false")),
        ("RAG_PAGE_LABEL", "S" * 21, ("RAG_PAGE_LABEL", "20")),
    ],
)
def test_an_invalid_value_is_reported_with_the_variable_and_the_fix(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: tuple[str, ...]
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(NotConfigured) as caught:
        load_settings()

    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("RAG_USERID", "RAG_USER_ID"),
        ("RAG_GROUP", "RAG_GROUPS"),
        ("RAG_DATADIR", "RAG_DATA_DIR"),
        ("RAG_EMBEDER", "RAG_EMBEDDER"),
        ("rag_user_id", "RAG_USER_ID"),
        ("RAG_ALLOW_UNFILTRED", "RAG_ALLOW_UNFILTERED"),
        ("AZURE_SEARCH_ENDPONIT", "AZURE_SEARCH_ENDPOINT"),
        ("AZURE_SERCH_ENDPOINT", "AZURE_SEARCH_ENDPOINT"),
        ("AZURE_SEARCH_APIKEY", "AZURE_SEARCH_API_KEY"),
        ("azure_search_api_key", "AZURE_SEARCH_API_KEY"),
        ("AZURE_SEARCH_DOCUMENT_INDEX", "AZURE_SEARCH_DOCUMENTS_INDEX"),
        ("RAG_USER", "RAG_USER_ID"),
        ("RAG_ORG", "RAG_ORG_ID"),
        ("RAG_DEPT", "RAG_DEPARTMENT"),
        ("RAG_DATA", "RAG_DATA_DIR"),
        ("RAG_PREFIXES", "RAG_PRINCIPAL_PREFIXES"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_right_name(
    monkeypatch: pytest.MonkeyPatch, wrong: str, meant: str
) -> None:
    monkeypatch.setenv(wrong, "x")

    with pytest.raises(NotConfigured, match=f"Did you mean {meant}"):
        load_settings()


IDENTITY = [
    "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN", "AZURE_USERNAME", "AZURE_PASSWORD",
    "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_REGIONAL_AUTHORITY_NAME",
    "AZURE_ADDITIONALLY_ALLOWED_TENANTS", "AZURE_TOKEN_CREDENTIALS", "AZURE_CLOUD", "AZURE_SUBSCRIPTION_ID",
]  # fmt: skip


@pytest.mark.parametrize("name", IDENTITY)
def test_settings_of_the_identity_library_are_ignored_even_if_the_service_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv(name, "x")

    load_settings(azure=True)

    assert capsys.readouterr().err == ""


CALLED_ELSEWHERE = [
    ("AZURE_SEARCH_KEY", "AZURE_SEARCH_API_KEY"),
    ("AZURE_SEARCH_ADMIN_KEY", "AZURE_SEARCH_API_KEY"),
    ("azure_search_query_key", "AZURE_SEARCH_API_KEY"),
    ("AZURE_AI_SEARCH_KEY", "AZURE_SEARCH_API_KEY"),
    ("AZURE_SEARCH_SERVICE", "AZURE_SEARCH_ENDPOINT"),
    ("AZURE_SEARCH_SERVICE_ENDPOINT", "AZURE_SEARCH_ENDPOINT"),
    ("AZURE_SEARCH_INDEX", "AZURE_SEARCH_CONTENT_INDEX"),
    ("AZURE_SEARCH_INDEX_NAME", "AZURE_SEARCH_CONTENT_INDEX"),
]


@pytest.mark.parametrize(("wrong", "meant"), CALLED_ELSEWHERE)
def test_other_programs_names_of_a_setting_are_refused_if_the_service_is_used(
    monkeypatch: pytest.MonkeyPatch, wrong: str, meant: str
) -> None:
    monkeypatch.setenv(wrong, "x")

    with pytest.raises(NotConfigured, match=f"{wrong} is not a setting. Did you mean {meant}"):
        load_settings(azure=True)

    monkeypatch.setenv("RAG_BACKEND", "azure")
    with pytest.raises(NotConfigured, match=f"Did you mean {meant}"):
        load_settings()


@pytest.mark.parametrize(("name", "_"), CALLED_ELSEWHERE)
def test_other_programs_names_of_a_setting_are_ignored_if_no_service_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, _: str
) -> None:
    monkeypatch.setenv(name, "x")

    load_settings()

    assert capsys.readouterr().err == ""


def test_another_programs_setting_in_addition_to_ours_causes_only_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AZURE_SEARCH_KEY", "theirs")
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "ours")
    monkeypatch.setenv("AZURE_SEARCH_SUGGESTER", "x")

    load_settings(azure=True)

    said = capsys.readouterr().err
    assert "AZURE_SEARCH_KEY is not a setting" in said
    assert "AZURE_SEARCH_SUGGESTER is not a setting" in said
    assert "theirs" not in said


def test_an_empty_setting_next_to_another_programs_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "")
    monkeypatch.setenv("AZURE_SEARCH_KEY", "theirs")
    with pytest.raises(NotConfigured, match="Did you mean AZURE_SEARCH_API_KEY"):
        load_settings(azure=True)


def test_a_part_of_several_names_causes_only_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_MODEL", "x")
    monkeypatch.setenv("RAG_USER", "ann")
    monkeypatch.setenv("RAG_USER_ID", "ann")
    load_settings()
    said = capsys.readouterr().err
    assert "RAG_MODEL is not a setting" in said
    assert "RAG_USER is not a setting" in said


def test_without_a_key_an_address_without_tls_is_reported_after_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_BACKEND", "azure")
    monkeypatch.setenv("AZURE_SEARCH_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(NotConfigured, match=r"^AZURE_SEARCH_API_KEY is not set\..*not https"):
        load_settings()


def test_an_escape_sequence_in_a_name_is_shown_literally(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_FLA\x1b[31mVOUR\n\u202e", "mint")

    load_settings()

    assert "RAG_FLA\\x1b[31mVOUR\\n\\u202e" in capsys.readouterr().err


def test_another_unknown_name_causes_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_FLAVOUR", "mint")

    load_settings()

    captured = capsys.readouterr()
    assert "RAG_FLAVOUR" in captured.err
    assert captured.out == ""


def test_empty_variables_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables():
        monkeypatch.setenv(name, "")

    assert load_settings() == Settings()


def test_the_default_folder_is_the_users_own() -> None:
    assert load_settings().data_dir == Path(user_data_dir("ibid", appauthor=False))


def test_a_tilde_in_the_folder_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAG_DATA_DIR", "~/index")

    assert load_settings().data_dir == tmp_path / "index"


def test_the_caller_is_taken_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "RAG_USER_ID": "ann",
        "RAG_DEPARTMENT": "hr",
        "RAG_ORG_ID": "acme",
        "RAG_GROUPS": "board, , staff",
    }.items():
        monkeypatch.setenv(name, value)

    assert stdio_caller(load_settings()) == Caller("ann", "hr", "acme", frozenset({"board", "staff"}))


def test_without_a_caller_in_the_settings_it_is_anonymous() -> None:
    assert stdio_caller(load_settings()).anonymous


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "hunter2")
    settings = load_settings()

    assert "hunter2" not in repr(settings)
    assert settings.masked()["AZURE_SEARCH_API_KEY"] == "********"
    assert settings.masked().keys() == variables().keys()


def test_settings_do_not_change_once_read() -> None:
    with pytest.raises(ValidationError):
        load_settings().embedder = "none"  # type: ignore[misc]


def test_every_variable_is_described() -> None:
    assert all(variables().values())


def test_the_trailing_newline_of_a_key_file_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "hunter2\r\n")
    key = load_settings().azure_search_api_key

    assert key is not None
    assert key.get_secret_value() == "hunter2"


def test_document_folders_are_separated_as_in_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("RAG_DOCUMENTS", os.pathsep.join([str(tmp_path / "a, b"), "~/c", ""]))
    monkeypatch.setenv("RAG_DOCUMENTS_ALLOW", "user:ann, group:board")
    settings = load_settings()
    assert settings.documents == (tmp_path / "a, b", tmp_path / "c")
    assert settings.documents_allow == ("user:ann", "group:board")
    assert settings.masked()["RAG_DOCUMENTS"] == os.pathsep.join([str(tmp_path / "a, b"), str(tmp_path / "c")])


@pytest.mark.parametrize("name", ["RAG_MAX_FILES", "RAG_MAX_GIGABYTES"])
def test_a_limit_of_zero_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0")
    with pytest.raises(NotConfigured, match=name):
        load_settings()
