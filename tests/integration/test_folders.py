"""`ibid serve` keeps the index up to date with the folders of RAG_DOCUMENTS: real servers, real files, real kills."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from corpus.ingestion.run_log import RunState, read_log
from tests.doubles.raw_stdio import RawServer, environment
from tests.patience import PATIENCE
from tests.readers.scans import needs_ocr, picture, scan

LINUX = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "pumps.md").write_text("# Pumps\n\nThe impeller turns at 2900 revolutions per minute.\n")
    return folder


@pytest.fixture
def env(tmp_path: Path, folder: Path) -> dict[str, str]:
    return environment(RAG_DATA_DIR=str(tmp_path / "index"), RAG_EMBEDDER="none", RAG_DOCUMENTS=str(folder))


CITED = re.compile(r"\(Source: ([^,)]+)")


def until(true: Callable[[], Any], what: str) -> Any:
    """Wait until `true` returns something, within the time limit of all server tests, and return it."""
    end = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.1)
    return found


def listed(server: RawServer) -> dict[str, Any]:
    answer = server.call("rag_list_documents", {})["result"]
    return json.loads(answer["content"][0]["text"])  # type: ignore[no-any-return]


def names(server: RawServer) -> list[str]:
    return sorted(one["filename"] for one in listed(server)["documents"])


def found(server: RawServer, query: str) -> list[str]:
    answer = server.call("rag_semantic_search", {"query": query})["result"]
    rows = json.loads(answer["content"][0]["text"])["results"]
    return list(dict.fromkeys(CITED.search(row["citation"])[1] for row in rows))  # type: ignore[index]


def keepers(env: dict[str, str]) -> list[RunState]:
    return [run for run in read_log(Path(env["RAG_DATA_DIR"])).runs if run.alive]


def keeper(env: dict[str, str]) -> int:
    """Return the process that reads the documents."""
    return int(until(lambda: keepers(env), "a process that reads")[0].pid)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_existing_files_and_files_dropped_into_the_folder_become_searchable(env: dict[str, str], folder: Path) -> None:
    with RawServer(env=env) as server:
        assert "result" in server.shake_hands()
        until(lambda: found(server, "impeller") == ["pumps.md"], "the file that was there")
        (folder / "valves.md").write_text("# Valves\n\nThe seat closes tightly.\n")
        until(lambda: found(server, "seat") == ["valves.md"], "the file that was dropped")
        (folder / "valves.md").rename(folder / "seats.md")
        until(lambda: names(server) == ["pumps.md", "seats.md"], "the file that was renamed")
        assert server.close() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


def test_a_constantly_changing_folder_ends_in_its_final_state(env: dict[str, str], folder: Path) -> None:
    """Files are replaced, renamed, removed and exchanged for links to a secret while the server reads them."""
    secret = folder.parent / "secret.md"
    secret.write_text("# Notes\n\nThe secret word is xylograph.\n")
    names_of_files = [f"part-{n}.md" for n in range(12)]

    def disturb(seed: int) -> None:
        dice, spare = random.Random(seed), folder / f".spare-{seed}"
        pause = dice.choice([0.0, 0.02, 0.4])
        end = time.monotonic() + 6
        while time.monotonic() < end:
            path, deed = folder / dice.choice(names_of_files), dice.random()
            if deed < 0.25:
                spare.symlink_to(secret)
                spare.replace(path)
            elif deed < 0.4:
                path.unlink(missing_ok=True)
            elif deed < 0.55:
                with suppress(FileNotFoundError):
                    path.rename(folder / dice.choice(names_of_files))
            else:
                spare.write_text(f"# Part\n\nThe gasket has size g{dice.randrange(1000)}.\n")
                spare.replace(path)
            time.sleep(dice.random() * pause)

    with RawServer(env=env | {"RAG_DOCUMENTS_PRUNE": "true"}) as server, ThreadPoolExecutor(3) as threads:
        server.shake_hands()
        ends = [threads.submit(disturb, seed) for seed in range(3)]
        while not all(end.done() for end in ends):
            assert found(server, "xylograph") == []
        for end in ends:
            end.result()
        for n, name in enumerate(names_of_files):
            spare = folder / ".spare"
            if n % 4 == 0:
                (folder / name).unlink(missing_ok=True)
            elif n % 4 == 1:
                spare.symlink_to(secret)
                spare.replace(folder / name)
            else:
                spare.write_text(f"# Part\n\nThe gasket has size last{n}.\n")
                spare.replace(folder / name)
        left = {f"part-{n}.md": f"last{n}" for n in range(12) if n % 4 > 1}
        until(lambda: names(server) == sorted([*left, "pumps.md"]), "the files that were left, and no other")
        until(lambda: all(found(server, word)[:1] == [name] for name, word in left.items()), "their last content")
        assert found(server, "xylograph") == []
        assert server.close() == 0
    assert secret.read_text() == "# Notes\n\nThe secret word is xylograph.\n"


@LINUX
@pytest.mark.slow
def test_a_change_with_a_dropped_event_is_found(env: dict[str, str], folder: Path) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        until(lambda: names(server) == ["pumps.md"], "the file that was there")
        reads = keeper(env)
        os.kill(reads, signal.SIGSTOP)
        for _ in range(int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())):
            (folder / "noise.tmp").touch()
            (folder / "noise.tmp").unlink()
        (folder / "valves.md").write_text("The seat closes tightly.\n")
        os.kill(reads, signal.SIGCONT)
        until(lambda: found(server, "seat") == ["valves.md"], "what came when the queue was full")


@needs_ocr
def test_a_scan_becomes_searchable_after_the_texts(env: dict[str, str], folder: Path, tmp_path: Path) -> None:
    page = picture(tmp_path / "page", "A gasket keeps water inside the flange.", size=(300, 150))
    scan(folder / "a-scan.pdf", page)
    with RawServer(env=env) as server:
        server.shake_hands()
        until(lambda: found(server, "gasket") == ["a-scan.pdf"], "the words of the scan")
        scan(folder / "b-scan.pdf", picture(tmp_path / "page", "Sand stays in this strainer.", size=(300, 150)))
        until(lambda: found(server, "strainer") == ["b-scan.pdf"], "the words of the scan that was dropped")
        assert server.close() == 0


def test_a_server_initializes_and_answers_while_a_large_folder_is_read(env: dict[str, str], folder: Path) -> None:
    for n in range(150):
        (folder / f"note{n}.md").write_text(f"# Note {n}\n\nThe impeller of pump {n} turns.\n")
    with RawServer(env=env) as server:
        server.shake_hands()
        seen = until(
            lambda: [one for one in listed(server)["warnings"] if one.startswith("Still reading:")],
            "a word of the reading that goes on",
        )
        assert " of 151 " in seen[0]
        until(lambda: listed(server)["total"] == 151, "the whole folder")
        until(lambda: "warnings" not in listed(server), "the end of the reading")


def test_new_documents_are_readable_by_the_principals_of_the_setting(env: dict[str, str]) -> None:
    env |= {"RAG_DOCUMENTS_ALLOW": "user:ann"}
    with RawServer(env=env | {"RAG_USER_ID": "ann"}) as server, RawServer(env=env) as stranger:
        server.shake_hands()
        stranger.shake_hands()
        until(lambda: names(server) == ["pumps.md"], "the document")
        assert names(stranger) == []


def test_a_principal_that_matches_nobody_is_reported_and_nothing_is_read(env: dict[str, str]) -> None:
    with RawServer(env=env | {"RAG_DOCUMENTS_ALLOW": "ann"}) as server:
        server.shake_hands()
        until(lambda: any("RAG_DOCUMENTS_ALLOW" in one for one in listed(server)["warnings"]), "the mistake")
        assert names(server) == []


def test_a_missing_folder_is_reported_and_read_when_it_appears(
    env: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    late = tmp_path / "late"
    with RawServer(env=env | {"RAG_DOCUMENTS": f"{folder}{os.pathsep}{late}"}) as server:
        server.shake_hands()
        until(lambda: names(server) == ["pumps.md"], "the other folder")
        assert f"There is no folder {late}." in listed(server)["warnings"]
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "valves.md").write_text("The seat closes tightly.\n")
        (tmp_path / "new").rename(late)
        until(lambda: names(server) == ["pumps.md", "valves.md"], "the folder that came")
        until(lambda: "warnings" not in listed(server), "no more word of it")
        assert server.close() == 0
    assert b"background.no_folder" in server.errors


@LINUX
@pytest.mark.slow
def test_of_two_servers_one_reads_and_the_other_takes_over_when_it_is_killed(env: dict[str, str], folder: Path) -> None:
    with RawServer(env=env) as first:
        first.shake_hands()
        reads = keeper(env)
        with RawServer(env=env) as second:
            second.shake_hands()
            until(lambda: names(second) == ["pumps.md"], "the document, for the second too")
            assert [run.pid for run in keepers(env)] == [reads]
            first.process.kill()
            until(lambda: not is_alive(reads), "the end of the process that read")
            until(lambda: [run.pid for run in keepers(env)] not in ([], [reads]), "one that takes over")
            (folder / "valves.md").write_text("The seat closes tightly.\n")
            until(lambda: found(second, "seat") == ["valves.md"], "what came after that")


@LINUX
@pytest.mark.slow
def test_the_reading_process_is_restarted_when_it_is_killed(env: dict[str, str], folder: Path) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        reads = keeper(env)
        os.kill(reads, signal.SIGKILL)
        until(lambda: [run.pid for run in keepers(env)] not in ([], [reads]), "another one")
        (folder / "valves.md").write_text("The seat closes tightly.\n")
        until(lambda: found(server, "seat") == ["valves.md"], "what came after that")


@LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_the_reading_process_ends_with_its_server(env: dict[str, str], number: signal.Signals) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        reads = keeper(env)
        assert server.signal(number) == 0
        until(lambda: not is_alive(reads), "its end")
    assert read_log(Path(env["RAG_DATA_DIR"])).runs == ()


def test_over_azure_the_setting_does_nothing_and_a_message_says_so(env: dict[str, str]) -> None:
    service = {"RAG_BACKEND": "azure", "AZURE_SEARCH_ENDPOINT": "https://x.search.windows.net"}
    with RawServer(env=env | service | {"AZURE_SEARCH_API_KEY": "k"}) as server:
        server.shake_hands()
        until(lambda: b"background.off" in server.errors, "the warning")
    assert read_log(Path(env["RAG_DATA_DIR"])).runs == ()
