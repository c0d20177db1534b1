"""One shell for one page: its variables, the keys that it created, and `ibid` as its commands start it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from click.testing import CliRunner

from server.commands import serve
from server.commands.group import ibid
from tests.documentation.blocks import blocks_of
from tests.documentation.containers import Container
from tests.documentation.place import IBID, Place
from tests.doubles.raw_stdio import RawServer
from tests.http.process import HttpProcess
from tests.http.raw import ask, modern, request

QUICKSTART, TRIAL = "docs/azure-quickstart.md", "docs/azure-trial.md"
CALL = {"name": "rag_semantic_search", "arguments": {"query": "impeller"}}


class Session:
    """The shell of a page. `place.env` contains the variables. On the README and the quick start, each command is a
    process, as on a reader's machine. Elsewhere it runs in this process, which takes a tenth of the time."""

    def __init__(self, place: Place, page: str) -> None:
        self.place = place
        self.page = page
        self.keys: list[str] = []
        self.to_serve = 0
        """Number of servers that the page has yet to start. Only the last is started, which takes seconds. For the
        others, only the command line is parsed."""
        self.containers: dict[str | None, Container] = {}
        self.entry: dict[str, Any] = {}
        self._alone = page in ("README.md", QUICKSTART, TRIAL)

    def ibid(self, words: Sequence[str], env: Mapping[str, str]) -> str:
        """Run the command, which must succeed, and return its output."""
        if words[0] == "serve":
            return self._serve(words[1:], env)
        if self._alone:
            done = subprocess.run(
                [IBID, *words], cwd=self.place.folder, env=env, text=True, encoding="utf-8", check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            code, printed = done.returncode, done.stdout
        else:
            result = CliRunner().invoke(ibid, list(words), env=dict(env))
            code, printed = result.exit_code, result.output
        assert code == 0, f"ibid {shlex.join(words)}\n{printed}"
        if list(words[:2]) == ["key", "add"]:
            self.keys.append(printed.split()[0])
        if list(words[:2]) == ["azure", "create-indexes"] and "\n{" in printed:
            self.entry = json.loads(printed[printed.index("\n{") :])
        return printed

    def _serve(self, words: Sequence[str], env: Mapping[str, str]) -> str:
        self.to_serve -= 1
        if self.to_serve > 0:
            serve.command.make_context("serve", list(words))
            return ""
        if not words:
            with RawServer(command=[IBID, "serve"], env=dict(env), cwd=self.place.folder) as server:
                answer = server.ask("tools/call", CALL)
                assert answer["result"]["structuredContent"]["results"], answer
                assert server.close() == 0
            return ""
        option, at = words
        assert option == "--http"
        host = at.rpartition(":")[0]
        with HttpProcess(env, f"{host}:0") as served:
            while ask(served.address, request("GET", "/readyz")).status != 200:
                continue
            assert ask(served.address, modern("tools/list")).status == (401 if self.keys else 200)
            for key in self.keys:
                headers = {"Authorization": f"Bearer {key}"}
                assert ask(served.address, modern("tools/call", CALL, headers)).status == 200
            served.stop()
        assert served.code == 0, served.said
        return served.said

    def shell(self, line: str) -> str:
        """Run a line in a POSIX shell, which must succeed, and return its output."""
        done = subprocess.run(
            ["sh", "-c", f"set -eu; {line}"], cwd=self.place.folder, env=self.place.env, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        return done.stdout

    def exported(self, line: str) -> dict[str, str]:
        """Return the variables that a line sets or changes."""
        told = f"{shlex.quote(sys.executable)} -c 'import json, os; print(json.dumps(dict(os.environ)))'"
        after: dict[str, str] = json.loads(self.shell(f"{line}; {told}").splitlines()[-1])
        shells = {"_", "PWD", "OLDPWD", "SHLVL"}
        return {
            name: value for name, value in after.items() if self.place.env.get(name) != value and name not in shells
        }

    def ended(self) -> None:
        """Check the result of the complete page: its settings are valid, even if no command followed them."""
        self.ibid(["config"], self.place.env)
        if self.place.receiver:
            assert self.place.receiver.spans
        if self.page == QUICKSTART:
            assert self.place.service
            assert self.place.service.documents("documents-metadata")
            (shown,) = [json.loads(text) for text in map(self.place.says, entries()) if '"QUERY_KEY"' in text]
            self.entry["mcpServers"]["ibid"]["env"] |= {"RAG_USER_ID": "ann", "RAG_DEPARTMENT": "hr"}
            assert shown == self.entry


def entries() -> list[str]:
    return [block.text for block in blocks_of(QUICKSTART) if block.language == "json"]
