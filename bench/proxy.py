"""Test two processes behind nginx, configured with the blocks of docs/http.md: `python -m bench proxy`.

nginx distributes clients of the newer protocol generation by round robin, and clients of the older one by `ip_hash`.
The bench needs nginx (Debian: nginx-light).
"""

from __future__ import annotations

import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client

from bench.tables import table
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from server.http.binding import Address
from tests.doubles.client_model import ClientModel
from tests.doubles.raw_stdio import CHECKOUT, environment
from tests.doubles.user import User, chooses
from tests.http.process import HttpProcess
from tests.http.raw import ask, request
from tests.patience import PATIENCE
from tests.server.desk import PNG, answer_in, figure, manual, passage

FRAME = """daemon off; worker_processes 1; pid {folder}/pid; error_log stderr error;
events {{ worker_connections 512; }}
http {{
access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
{upstreams}
server {{ listen 127.0.0.1:{modern}; {modern_places} }}
server {{ listen 127.0.0.1:{legacy}; {legacy_places} }}
}}"""


def main() -> None:
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        sys.exit("nginx is missing: apt-get install nginx-light")
    with tempfile.TemporaryDirectory() as place, ExitStack() as open_:
        folder = Path(place)
        anyio.run(_fill, folder / "index")
        modern, legacy = _free_ports(2)
        env = environment(
            RAG_DATA_DIR=str(folder / "index"), RAG_EMBEDDER="none", RAG_LOG_FORMAT="json",
            RAG_HTTP_KEYS=secrets.token_urlsafe(32), RAG_HTTP_PUBLIC_URL=f"http://127.0.0.1:{modern}/mcp",
        )  # fmt: skip
        servers = [open_.enter_context(HttpProcess(env)) for _ in range(2)]
        config = documented([one.address.port for one in servers], modern, legacy, folder)
        open_.enter_context(_running(nginx, config, folder, modern))
        rows = anyio.run(_tried, servers, modern, legacy)
    print(table(["what", "outcome", "calls of either process"], rows))
    sys.exit(any(row[1] != "ok" for row in rows))


def documented(ports: Sequence[int], modern: int, legacy: int, folder: Path) -> str:
    """Return the configuration: the documentation's blocks with other ports. One block has no `ip_hash`."""
    text = (CHECKOUT / "docs" / "http.md").read_text(encoding="utf-8")
    places, upstream = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    for old, new in zip(("8001", "8002"), ports, strict=True):
        upstream = upstream.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    robin = upstream.replace("ip_hash;", "").replace("upstream ibid", "upstream robin")
    return FRAME.format(
        folder=folder, upstreams=upstream + robin, modern=modern, legacy=legacy,
        modern_places=places.replace("127.0.0.1:8000", "robin"),
        legacy_places=places.replace("127.0.0.1:8000", "ibid"),
    )  # fmt: skip


async def _tried(servers: Sequence[HttpProcess], modern: int, legacy: int) -> list[list[str]]:
    rows: list[list[str]] = []

    async def step(what: str, way: Callable[..., Any], port: int, era: str, *, both: bool = False) -> None:
        before = [_calls(one) for one in servers]
        try:
            with anyio.fail_after(60):
                await way(f"http://127.0.0.1:{port}/mcp", era)
            said = "ok"
        except Exception as error:  # any exception is the outcome
            said = f"{type(error).__name__}: {error}"[:200].replace("\n", " ")
        made = [_calls(one) - had for one, had in zip(servers, before, strict=True)]
        print(what, said, made, file=sys.stderr, flush=True)
        rows.append([what, said if said != "ok" or not both or all(made) else "one process only", str(made)])

    await step("a conversation with a choice and the client's model, newer", _conversation, modern, "auto", both=True)
    await step("the same, older, asked within the call: nothing is held back", _conversation, legacy, "legacy")
    await step("figures by signed addresses, from either process", _figures, modern, "auto")
    servers[0].stop(signal.SIGKILL)
    await step("newer clients after one process was killed", _conversation, modern, "auto")
    return rows


async def _conversation(url: str, era: str) -> None:
    for _ in range(4):
        user, model = User(chooses("south")), ClientModel("The revenue grew [1].")
        async with Client(url, mode=era, sampling_callback=model, elicitation_callback=user) as client:  # type: ignore[arg-type]
            found = answer_in(await client.call_tool("rag_get_document", {"name": "report"}))
            made = answer_in(await client.call_tool("rag_synthesize", {"query": "Summarise the report"}))
        assert found["document"]["doc_id"] == "south"
        assert made["mode"] == "llm", made["mode"]
        assert len(user.forms) == 2
        assert model.prompts


async def _figures(url: str, era: str) -> None:
    async with Client(url, mode=era) as client, httpx2.AsyncClient() as web:
        found = answer_in(await client.call_tool("rag_semantic_search", {"query": "impeller exploded view"}))
        (address,) = {one["image_url"] for one in found["results"] if one.get("image_url")}
        for _ in range(4):
            got = await web.get(address)
            assert (got.status_code, got.content) == (200, PNG), got.status_code


async def _fill(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    rows = [(manual(), [figure("Figure 3: Impeller, exploded view"), passage("The pump has an impeller.")])]
    for name in ("north", "south"):
        report = manual(name, title=f"Report {name}", document_type="Report")
        rows.append((report, [passage(f"The revenue of the {name} grew.", doc_id=name)]))
    for document, blocks in rows:
        public = [replace(one, access_control_list=("*",)) for one in blocks]
        await index.replace(document, [NewBlock(one, _picture(one)) for one in public])
    await index.aclose()


def _picture(block: Any) -> Any:
    from corpus.documents.block import Picture

    return Picture(PNG, "image/png") if block.block_type == "image" else None


def _calls(server: HttpProcess) -> int:
    return sum('"tool"' in line or "asking.asked" in line for line in server.said.splitlines())


@contextmanager
def _running(nginx: str, config: str, folder: Path, port: int) -> Iterator[None]:
    file = folder / "nginx.conf"
    file.write_text(config, encoding="utf-8")
    with subprocess.Popen([nginx, "-p", str(folder), "-c", str(file)]) as process:
        try:
            with anyio.from_thread.start_blocking_portal() as portal:
                portal.call(_listens, port, process)
            yield
        finally:
            process.terminate()


async def _listens(port: int, process: subprocess.Popen[bytes]) -> None:
    with anyio.fail_after(PATIENCE):
        while process.poll() is None:
            try:
                await anyio.to_thread.run_sync(ask, Address("127.0.0.1", port), request("GET", "/mcp"))
                return
            except OSError:
                await anyio.sleep(0.05)
    sys.exit("nginx did not start")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as open_:
        taken = [open_.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in taken]


if __name__ == "__main__":
    main()
