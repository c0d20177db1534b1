"""Configurations on the pages: for clients, for the environment, for proxies, and questions for an evaluation."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from click.testing import CliRunner

from bench import proxy
from corpus.evaluation.questions import read_questions
from server.clients.json_entries import entries_of
from server.clients.known import CLIENTS
from server.clients.plan import is_ours
from server.commands.group import ibid
from server.http.binding import PATH
from server.http.picture_urls import PATH as IMAGES
from server.settings.model import Settings, load_settings, variables
from tests.documentation.blocks import Block, blocks_of
from tests.documentation.place import Place

INPUT = re.compile(r"\$\{input:([\w-]+)\}")
TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"
METADATA = "/.well-known/oauth-protected-resource"


def of_a_client(blocks: Sequence[Block], place: Place) -> None:
    """Read the configuration as `ibid install` reads it, under the key of its client, and check that its command would
    start a server."""
    (block,) = blocks
    root = next(iter(json.loads(block.text)))
    entry = entries_of(block.text, root)["ibid"]
    typed = {one.typed for one in CLIENTS.values() if one.root == root}
    assert ("type" in entry) in typed, f"{block}: unexpected or missing type"
    if "url" in entry:
        assert entry["url"].endswith(PATH)
        assert entry["headers"]["Authorization"].startswith("Bearer ")
        return
    assert is_ours(entry), str(block)
    command, *words = [entry["command"], *entry["args"]]
    started = words[words.index("ibid") + 1 :] if command == "uvx" else words
    assert CliRunner().invoke(ibid, [*started, "--help"]).exit_code == 0
    accepted(entry.get("env", {}), place)
    asked_for = set(INPUT.findall(block.text))
    assert asked_for == {one["id"] for one in json.loads(block.text).get("inputs", ())}


def env_of_an_entry(blocks: Sequence[Block], place: Place) -> None:
    (block,) = blocks
    accepted(json.loads(f"{{{block.text}}}")["env"], place)


def settings(blocks: Sequence[Block], place: Place) -> None:
    (block,) = blocks
    accepted(dict(line.split("=", 1) for line in block.text.splitlines()), place)


def accepted(env: Mapping[str, str], place: Place) -> Settings:
    """Check that each name is a setting with a valid value."""
    assert set(env) <= set(variables()), sorted(set(env) - set(variables()))
    given = {name: value.replace("TENANT-ID", TENANT) for name, value in env.items()}
    return load_settings(changed={"RAG_DATA_DIR": str(place.folder)} | given)


def questions(blocks: Sequence[Block], place: Place) -> None:
    (block,) = blocks
    file = place.folder / "questions.jsonl"
    file.write_text(block.text, encoding="utf-8")
    asked = read_questions(file)
    rows: list[dict[str, Any]] = [json.loads(line) for line in block.text.splitlines()]
    assert [one.model_dump(include=set(row), mode="json") for one, row in zip(asked, rows, strict=True)] == rows


def nginx(blocks: Sequence[Block], place: Place) -> None:
    """Check that the URLs and ports are Ibid's. nginx itself is not run: `python -m bench proxy` runs it with these
    blocks."""
    (block,) = blocks
    assert block.text.count("{") == block.text.count("}")
    if "location" in block.text:
        assert re.findall(r"^location (?:= )?(\S+)", block.text, re.MULTILINE) == [PATH, IMAGES, METADATA]
        (most,) = re.findall(r"client_max_body_size (\d+)m;", block.text)
        assert int(most) << 20 == Settings.model_fields["http_max_body"].default
    passed_to(block)
    assert proxy.documented([1, 2], 3, 4, place.folder)


def caddy(blocks: Sequence[Block], place: Place) -> None:
    """Check the block. Caddy itself is not run."""
    del place
    (block,) = blocks
    assert block.text.count("{") == block.text.count("}")
    passed_to(block)


def passed_to(block: Block) -> None:
    """Check that the block passes requests to the address in the page's own command. Several processes use the
    following ports."""
    typed = "".join(one.text for one in blocks_of(block.page) if one.language == "console")
    listens = re.search(r"--http (127\.0\.0\.1:8000)$", typed, re.MULTILINE)
    assert listens
    to = set(re.findall(r"127\.0\.0\.1:\d+", block.text))
    assert to == {listens[1]} or to == {"127.0.0.1:8001", "127.0.0.1:8002"}, str(block)
