"""Files that an ingestion skips: those listed in .ibidignore, links to the outside, and folders that cannot be
listed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.file_decision import fingerprint
from corpus.ingestion.walk import Bounds, Scope, Sources, sources_under

READABLE = frozenset({".md", ".pdf"})
FOLLOW = Scope(follow_links=True)


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def names(sources: Sources, root: Path) -> list[str]:
    return [file.relative_to(root).as_posix() for file in sources.files]


def test_listed_files_are_left_out_and_the_deepest_rules_decide(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "draft.md", "private/x.md", "sub/draft.md", "sub/b.md", "sub/keep/draft.md")
    (tmp_path / ".ibidignore").write_text("# mine\ndraft.md\n/private/\n")
    (tmp_path / "sub" / ".ibidignore").write_text("b.md\n")
    (tmp_path / "sub" / "keep" / ".ibidignore").write_text("!draft.md\n")
    found = sources_under([tmp_path], READABLE)
    assert names(found, tmp_path) == ["a.md", "sub/keep/draft.md"]


def test_a_file_named_by_itself_is_taken_even_if_its_folder_excludes_it(tmp_path: Path) -> None:
    put(tmp_path, "draft.md")
    (tmp_path / ".ibidignore").write_text("draft.md")
    assert sources_under([tmp_path], READABLE).files == ()
    assert sources_under([tmp_path / "draft.md"], READABLE).files == (tmp_path / "draft.md",)


@pytest.mark.parametrize("rules", ["!", "a[\n!\n"])
def test_invalid_rules_close_the_folder(tmp_path: Path, rules: str) -> None:
    put(tmp_path, "a.md", "sub/secret.md")
    (tmp_path / "sub" / ".ibidignore").write_text(rules)
    found = sources_under([tmp_path], READABLE)
    assert names(found, tmp_path) == ["a.md"]
    assert [(path.name, ".ibidignore is not understood" in why) for path, why in found.closed] == [("sub", True)]


def test_the_rules_of_all_folders_above_apply_to_a_deep_change(tmp_path: Path) -> None:
    put(tmp_path, "a/b/c.md", "private/b/c.md", ".hidden/c.md")
    (tmp_path / ".ibidignore").write_text("private/")
    changed = [tmp_path / "a/b/c.md", tmp_path / "private/b/c.md", tmp_path / ".hidden/c.md"]
    assert names(sources_under([tmp_path], READABLE, changed=changed), tmp_path) == ["a/b/c.md"]
    assert names(sources_under([tmp_path], READABLE, changed=[tmp_path / "private"]), tmp_path) == []


def test_links_that_lead_outside_are_reported_and_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "out/secret.md", "root/a.md")
    root = tmp_path / "root"
    (root / "file.md").symlink_to(tmp_path / "out" / "secret.md")
    (root / "folder").symlink_to(tmp_path / "out", target_is_directory=True)
    found = sources_under([root], READABLE)
    assert names(found, root) == ["a.md"]
    assert [path.name for path in found.outside] == ["file.md", "folder"]
    followed = sources_under([root], READABLE, FOLLOW)
    assert names(followed, root) == ["a.md", "file.md", "folder/secret.md"]
    assert followed.outside == ()


def test_a_link_into_another_root_does_not_lead_outside(tmp_path: Path) -> None:
    put(tmp_path, "one/a.md", "two/b.md")
    (tmp_path / "one" / "b.md").symlink_to(tmp_path / "two" / "b.md")
    found = sources_under([tmp_path / "one", tmp_path / "two"], READABLE)
    assert names(found, tmp_path) == ["one/a.md", "one/b.md", "two/b.md"]


def test_loops_of_followed_links_end(tmp_path: Path) -> None:
    put(tmp_path, "out/deep/a.md", "root/b.md")
    (tmp_path / "root" / "out").symlink_to(tmp_path / "out", target_is_directory=True)
    (tmp_path / "root" / "again").symlink_to(tmp_path / "root", target_is_directory=True)
    (tmp_path / "out" / "deep" / "up").symlink_to(tmp_path / "out", target_is_directory=True)
    (tmp_path / "out" / "home").symlink_to(tmp_path / "root", target_is_directory=True)
    found = sources_under([tmp_path / "root"], READABLE, FOLLOW)
    assert names(found, tmp_path / "root") == ["b.md", "out/deep/a.md"]


def test_a_folder_that_may_not_be_listed_is_reported_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "a.md", "closed/b.md", "z/c.md")
    listdir = os.listdir

    def refused(path: str | Path) -> list[str]:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refused)
    found = sources_under([tmp_path], READABLE)
    assert names(found, tmp_path) == ["a.md", "z/c.md"]
    assert found.closed == ((tmp_path / "closed", "cannot be listed: Permission denied"),)


def test_the_index_itself_is_never_walked(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "index/words/b.md")
    found = sources_under([tmp_path], READABLE, Scope(apart=tmp_path / "index"))
    assert names(found, tmp_path) == ["a.md"]


@pytest.mark.parametrize(
    ("bounds", "cure"), [(Bounds(files=2), "RAG_MAX_FILES"), (Bounds(gigabytes=1e-9), "RAG_MAX_GIGABYTES")]
)
def test_more_files_than_a_run_may_ingest_are_refused_with_the_fix(tmp_path: Path, bounds: Bounds, cure: str) -> None:
    put(tmp_path, "a.md", "b.md", "c.md")
    with pytest.raises(InvalidRequest, match=cure):
        sources_under([tmp_path], READABLE, Scope(bounds=bounds))


def test_a_file_over_the_size_limit_stops_no_run(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "huge.md")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(51_000_000_000)
    assert names(sources_under([tmp_path], READABLE), tmp_path) == ["a.md", "huge.md"]


def test_a_file_over_the_size_limit_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(51_000_000_000)
    with pytest.raises(UnreadableDocument, match="has 51000 MB, more than the 1000 MB allowed"):
        fingerprint(tmp_path / "huge.md", go_on=lambda: pytest.fail("it was read"))


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"start")

    def grow() -> None:
        with path.open("ab") as file:
            file.truncate(path.stat().st_size + 20_000_000)

    with pytest.raises(UnreadableDocument, match="grows while it is read"):
        fingerprint(path, go_on=grow)


def test_reading_a_file_can_be_interrupted(tmp_path: Path) -> None:
    class Interrupted(BaseException):
        pass

    def interrupt() -> None:
        raise Interrupted

    (tmp_path / "a.md").write_bytes(bytes(20_000_000))
    with pytest.raises(Interrupted):
        fingerprint(tmp_path / "a.md", go_on=interrupt)
