"""A server as teams run it, with a secret: a document that only ann may read has words that occur nowhere else."""

from __future__ import annotations

import io
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.index.local import sqlite_file as connections
from corpus.index.protocol import NewBlock
from tests.doubles.issuer import Issuer
from tests.http.raw import ask, modern
from tests.http.site import PEN, Site
from tests.redteam.model import Obedient
from tests.server.desk import PNG, figure, manual, passage

FORBIDDEN, MISSING = "qvault-zz1", "qvault-zz9"
"""Id of a document that the attackers may not read, and an id that does not exist. Both have the same length and are
equally different from all others."""
GUESSED = "xylotrope"
"""Word of the forbidden text that an attacker guesses. Nobody guesses the other words."""
UNKNOWN = "zyloptrox"

PASSAGES = (
    "quollcombination",
    "quollcaption",
    "quollbrief",
    "quollheading",
    "quolldrawing",
    "quollneighbour",
)
NAMES = ("quolltitle", "quollfile", "quollauthor", "quolldept", "quollkind")
CANARIES = (*PASSAGES, *NAMES)

KEY = "redteam-http-key-" + "k" * 32
DRAWING = PNG + b"quolldrawing"


class Fort(Site):
    """The server and its records. `log` is everything that was logged, `statements` are all database statements, and
    `said` is all that attackers received."""

    def __init__(self, folder: Path, issuer: Issuer) -> None:
        self.audit = folder / "audit.jsonl"
        variables = {
            **issuer.settings, "RAG_AUDIT_FILE": str(self.audit), "RAG_HTTP_KEYS": KEY, "RAG_RATE_LIMIT": "0",
            "RAG_LOG_FORMAT": "json",
        }  # fmt: skip
        self.model = Obedient()
        super().__init__(folder, variables, pen=replace(PEN, endpoint=self.model))
        self.issuer = issuer
        self.log = io.StringIO()
        self.statements: list[str] = []
        self.said: list[str] = []
        self.tokens: list[str] = []
        self._usual: dict[str, str] = {}

    def token(self, user: str, **changes: Any) -> str:
        """Return the same token of a user each time."""
        if changes:
            self.tokens.append(made := self.issuer.token(user, **changes))
            return made
        if user not in self._usual:
            self._usual[user] = self.issuer.token(user, exp=int(time.time()) + 3600)
        return self._usual[user]

    @property
    def secrets(self) -> list[str]:
        """Return all secrets that must not be logged: signatures of tokens, invalid tokens that were presented, and the
        key."""
        given = [*self.tokens, *self._usual.values()]
        return [KEY, KEY[-32:], *(end for one in given if len(end := one.rpartition(".")[2]) > 20)]

    def audited(self) -> list[dict[str, Any]]:
        written = self.audit.read_text("ascii") if self.audit.exists() else ""
        return [json.loads(one) for one in written.split("\n") if one]

    def serves(self) -> bool:
        """Return whether the owner finds her document."""
        call = {"name": "rag_semantic_search", "arguments": {"query": GUESSED}}
        owner = {"Authorization": f"Bearer {self.token('ann')}"}
        reply = ask(self.address, modern("tools/call", call, owner))
        return reply.status == 200 and FORBIDDEN.encode() in reply.body

    async def put(self, document: Document, *blocks: Block) -> None:
        allowed = document.access_control_list
        new = [NewBlock(replace(one, access_control_list=allowed), _picture(one)) for one in blocks]
        await self.index.replace(document, new)

    async def _fill(self) -> None:
        (self.folder / "canary.txt").write_text("quollneighbour", encoding="utf-8")
        await self.put(
            manual(),
            passage("The pump moves water with a centrifugal impeller.", heading="Function"),
            figure("Figure 3: Impeller, exploded view"),
        )
        for number in range(3):
            doc_id = f"north-{number}"
            report = manual(doc_id, title=f"Yearly report {number}", document_type="Report")
            await self.put(report, passage(f"The revenue of region {number} grew.", doc_id=doc_id))
        await self.put(vault(), *vault_blocks())


def vault(doc_id: str = FORBIDDEN, **changes: Any) -> Document:
    hidden = manual(
        doc_id, access=("user:ann",), title="quolltitle report", filename="quollfile.pdf", author="quollauthor",
        department="quolldept", document_type="quollkind", summary_brief="quollbrief",
    )  # fmt: skip
    return replace(hidden, **changes)


def vault_blocks(doc_id: str = FORBIDDEN) -> tuple[Block, Block]:
    text = f"The quollcombination of the {GUESSED} opens the pump house with water."
    return (
        passage(text, doc_id=doc_id, heading="quollheading"),
        figure("quollcaption", doc_id=doc_id),
    )


def _picture(block: Block) -> Picture | None:
    if block.block_type != "image":
        return None
    return Picture(DRAWING if block.doc_id == FORBIDDEN else PNG, "image/png")


@contextmanager
def traced(statements: list[str]) -> Iterator[None]:
    """Record every statement of any new connection to an index, with its values."""
    connect = connections.connect

    def listened(*given: Any) -> sqlite3.Connection:
        connection = connect(*given)
        connection.set_trace_callback(statements.append)
        return connection

    with patch.object(connections, "connect", listened):
        yield
