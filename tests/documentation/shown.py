"""Blocks that show files, values or logs, compared with the real ones."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from corpus.access import Caller
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.odata import build_security_filter
from tests.documentation.blocks import ROOT, Block
from tests.documentation.place import Place
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.doubles.user import User, chooses
from tests.http.site import Site
from tests.server.desk import Desk, manual, passage

ENTRY = re.compile(r"^( *)((?:[\w.]+[\w/]*/|\w+\.py)(?:, \w+\.py)*)\s", re.MULTILINE)


def is_listing(text: str) -> bool:
    return all(ENTRY.match(line) for line in text.splitlines())


def listing(blocks: Sequence[Block], place: Place) -> None:
    """Check that each name exists in the folder above it. If a folder is listed, all its packages must be listed."""
    del place
    (block,) = blocks
    above, packages = ROOT, {}
    for indent, names in ENTRY.findall(block.text):
        for name in names.split(", "):
            path = (above if indent else ROOT) / name
            assert path.exists(), f"{block}: {path.relative_to(ROOT)} does not exist"
            packages.setdefault(path.parent, set()).add(path)
        above = above if indent else path
    for folder, named in packages.items():
        if folder != ROOT:
            there = {one.parent for one in folder.glob("*/__init__.py")}
            assert there <= named, f"{block}: {sorted(one.name for one in there - named)} are missing"


def python(blocks: Sequence[Block], place: Place) -> None:
    """Run the code. A comment after the last expression must be its value."""
    del place
    (block,) = blocks
    *before, last = ast.parse(block.text).body
    space: dict[str, Any] = {}
    exec(compile(ast.Module(before, []), str(block), "exec"), space)
    assert isinstance(last, ast.Expr)
    value = eval(compile(ast.Expression(last.value), str(block), "eval"), space)
    comment = block.text.splitlines()[-1]
    assert value == (comment.removeprefix("# ") if comment.startswith("# ") else None)


def access_filter(blocks: Sequence[Block], place: Place) -> None:
    del place
    (block,) = blocks
    made = build_security_filter(Caller(user_id="ann", department="hr"), prefixed=True)
    assert block.text == f"{made}\n"


def choice(blocks: Sequence[Block], place: Place) -> None:
    """Check the text for a client that shows no titles of choices."""
    (block,) = blocks
    assert block.text == anyio.run(_question, place.folder) + "\n"


async def _question(folder: Path) -> str:
    index = LocalIndex.open(folder, None)
    desk = Desk(index, Library(index, None))
    for doc_id, title, date, department in (
        ("q3-finance", "Report Q3", "2024-10-02", "Finance"),
        ("q3-hr", "Report Q3", "2024-10-09", "HR"),
        ("q4-finance", "Report Q4", "2025-01-15", "Finance"),
    ):
        document = manual(doc_id, title=title, document_type="Report", department=department)
        dated = replace(document, upload_date=f"{date}T10:00:00+00:00")
        await desk.put(dated, [passage("The revenue grew.", doc_id=doc_id)])
    user = User(chooses("q3-hr"))
    async with desk.client(elicitation_callback=user) as client:
        await client.call_tool("rag_synthesize", {"query": "Summarise the report"})
    await index.aclose()
    return user.forms[0].message


def audit(blocks: Sequence[Block], place: Place) -> None:
    """Check that an audit line of the same search has the same fields in the same order. Digests, times and numbers may
    differ."""
    (block,) = blocks
    with in_thread(Issuer()) as issuer:
        settings = {**issuer.settings, "RAG_AUDIT_FILE": str(place.folder / "audit.jsonl")}
        token = issuer.token("ann", groups=["board", "works-council"])
        with in_thread(Site(place.folder, settings)) as site:
            anyio.run(_search, site, token)
    written = (place.folder / "audit.jsonl").read_text(encoding="ascii").splitlines()
    assert [_without_digests(line) for line in written] == [_without_digests(block.text)]


async def _search(site: Site, token: str) -> None:
    async with site.client(token=token) as client:
        arguments = {"query": "salary impeller", "filters": {"document_type": "Report"}}
        await client.call_tool("rag_semantic_search", arguments)


def _without_digests(line: str) -> list[tuple[str, Any]]:
    fields = json.loads(line)
    own = {"time": r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "request": r"\d+"}
    digests = dict.fromkeys(("caller", "access_filter", "query"), r"sha256:[\da-f]+…?")
    for name, one in (own | digests).items():
        assert re.fullmatch(one, fields[name]), f"{name}: {fields[name]}"
    return [(name, None if name in own | digests else value) for name, value in fields.items()]


PRINTED: dict[tuple[str, str], Callable[[Sequence[Block], Place], None]] = {
    ("docs/access.md", "On Azure AI Search"): access_filter,
    ("docs/asking.md", "When several documents fit"): choice,
}
