"""Run third-party clients against Ibid; write the table of docs/clients.md and the recorded lines for tests/clients.

Each client comes from its registry and runs in a network without internet access, with its own home folder, a dummy key
and a scripted model. It asks a question about the sample documents, and its requests show the input that a model really
receives. The script needs Linux, root, npm and a Node that is new enough. `try_clients.py [NAME...]` tries only some
clients.
"""

from __future__ import annotations

import argparse
import datetime
import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from clients.known import CLIENTS, Client, Place
from clients.model import CITATION, QUESTION, Model
from node_tools import installed

ROOT = Path(__file__).resolve().parent.parent
IBID = Path(sys.executable).with_name("ibid")
WORK = Path.home() / ".cache" / "ibid-clients"
"""Working folder. It is outside any repository, because clients would describe the repository to the model."""
PACKAGES, DATA, RUNS = WORK / "packages", WORK / "data", WORK / "runs"
RECORDED = ROOT / "tests" / "clients" / "recorded"
PAGE = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- tried: written by scripts/try_clients.py -->", "<!-- tried: end -->"
SECONDS = 240
MODES = ("question", "slash", "mention")
Facts = dict[str, Any]
FILE = "xyz-pump-technical-manual.pdf"
TOOL = "rag_semantic_search"
INSTRUCTIONS = "You answer from the user's own documents through the tools of the Ibid server"
ERROR = "fits 4 documents. Ask which one is meant"
FIGURE = "rag_show_page"
IMAGE = re.compile(r"(.{0,60})(?:iVBORw0KGgo|/9j/4)")
AS_IMAGE = re.compile(r'base64,$|"inlineData": ?\{"data": ?"$|"media_type": ?"image/\w+", ?"data": ?"$')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CLIENTS)}")
    parser.add_argument("--again", action="store_true", help="judge the last runs once more, and run nothing")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        name, mode = options.inside.split(":")
        inside(CLIENTS[name], mode)
        return 0
    known: dict[str, Facts] = {}
    for client in [CLIENTS[name] for name in options.names or CLIENTS]:
        install(client)
        for mode in MODES if not options.again else ():
            if mode == "question" or getattr(client, mode):
                alone(client, mode)
        known[client.name] = facts(client)
        record(client)
        print(json.dumps(known[client.name]), flush=True)
    write_table(known)
    return 0


def install(client: Client) -> None:
    """Install the client's package and ingest the sample documents, unless this has been done before."""
    if not DATA.exists():
        ingest = [str(IBID), "ingest", str(ROOT / "examples" / "documents")]
        subprocess.run(ingest, check=True, env=os.environ | {"RAG_DATA_DIR": str(DATA)})
    folder = PACKAGES / ("pip" if client.python else "npm") / client.name
    pins = [f"{client.package}{'==' if client.python else '@'}{client.version}", *client.beside]
    stamp = folder / "installed.json"
    if stamp.exists() and json.loads(stamp.read_text()) == pins:
        return
    shutil.rmtree(folder, ignore_errors=True)
    if client.python:
        venv.create(folder, with_pip=True)
        subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "-q", *pins], check=True)
    else:
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}')
        npm = shutil.which("npm") or sys.exit("npm is not installed.")
        subprocess.run([npm, "install", "--no-audit", "--no-fund", *pins], check=True, cwd=folder)
    stamp.write_text(json.dumps(pins))


def alone(client: Client, mode: str) -> None:
    """Run the client in its own namespaces: with loopback as the only network, and so that no process outlives the
    client."""
    folder = RUNS / client.name / mode
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    apart = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    command = [*apart, sys.executable, __file__, "--inside", f"{client.name}:{mode}"]
    subprocess.run(command, check=True)


def inside(client: Client, mode: str) -> None:
    folder = RUNS / client.name / mode
    home, requests = folder / "home", folder / "requests"
    home.mkdir()
    requests.mkdir()
    raise_loopback()
    server = folder / "ibid"
    tap = ROOT / "scripts" / "clients" / "tap.py"
    started = f"'{sys.executable}' -I -S '{tap}' '{folder / 'lines'}' '{IBID}' serve"
    server.write_text(f"#!/bin/sh\nexport RAG_DATA_DIR='{DATA}'\nexec {started}\n")
    server.chmod(0o755)
    with Model(requests) as model:
        place = Place(home, model.url, server, PACKAGES)
        environment = {
            "HOME": str(home),
            "PATH": path(),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "IBID_TAP": str(server),
        }
        if client.installs:
            configured(client.installs, environment, server)
        client.set_up(place)
        command = client.asking(place, question(client, mode))
        with (folder / "output").open("wb") as output:
            try:
                done = subprocess.run(
                    command, env=environment | dict(client.environment(place)), cwd=home, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                )  # fmt: skip
                output.write(f"\nexit code {done.returncode}\n".encode())
            except subprocess.TimeoutExpired:
                output.write(b"\ntimed out\n")


def question(client: Client, mode: str) -> str:
    if mode == "question":
        return QUESTION
    uri = json.loads(subprocess.run(
        [str(IBID), "list", "--json"], check=True, capture_output=True, text=True,
        env=os.environ | {"RAG_DATA_DIR": str(DATA)},
    ).stdout)["documents"][0]["doc_id"]  # fmt: skip
    return str(getattr(client, mode)).format(question=QUESTION, uri=f"rag://documents/{uri}")


def configured(name: str, environment: dict[str, str], server: Path) -> None:
    """Run `ibid install`, then replace the command with the script that records the lines."""
    command = [str(IBID), "install", name, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    file = Path(json.loads(done.stdout)["file"])
    file.write_text(file.read_text().replace(json.dumps(str(IBID)), json.dumps(str(server))))


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        up = struct.pack("16sh14x", b"lo", 0x41)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(control, 0x8914, up)  # SIOCSIFFLAGS


def path() -> str:
    """Return a PATH that begins with the folder of a Node that is new enough."""
    node, _ = installed("inspector")
    return os.pathsep.join([str(Path(node).parent), "/usr/local/bin", "/usr/bin", "/bin"])


def facts(client: Client) -> Facts:
    """Return the results of a client, from its requests to the model, the protocol lines, and its output."""
    runs = {mode: RUNS / client.name / mode for mode in MODES}
    requests = {mode: texts(folder / "requests") for mode, folder in runs.items()}
    sent = {mode: methods(folder / "lines") for mode, folder in runs.items()}
    tools = {line for who, line in lines_of(runs["question"] / "lines") if who == ">" and FIGURE in line}
    printed = (runs["question"] / "output").read_text(errors="replace")
    asked, has_model = requests["question"], bool(requests["question"])
    last = asked[-1] if asked else printed
    error = {text for text in asked if ERROR in text} or ({printed} if ERROR in printed else set())
    return {
        "name": client.name,
        "title": client.title,
        "version": client.version,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "revision": revision(runs["question"] / "lines"),
        "connects": "tools/call" in sent["question"],
        "first turn": TOOL in next((text for text in asked if '"tools"' in text), "") if has_model else None,
        "instructions": any(INSTRUCTIONS in text for text in asked) if has_model else None,
        "answer": any(FILE in text for text in CITATION.findall(printed)) if has_model else None,
        "error": bool(error) and "-32602" not in last,
        "picture": (picture(last) if has_model else bool(IMAGE.search(printed))) if tools else None,
        "prompt": "prompts/get" in sent["slash"] | sent["question"] or (False if client.slash else None),
        "resources": bool({"resources/read", "resources/list"} & (sent["mention"] | sent["question"])) or None,
    }


def picture(text: str) -> bool | str:
    """Return whether the page reached the model as a picture; some clients put its bytes into the text."""
    found = IMAGE.search(text)
    if found is None:
        return False
    return bool(AS_IMAGE.search(found[1])) or "as text"


def texts(folder: Path) -> list[str]:
    """Return the requests to the model, oldest first."""
    return [path.read_text() for path in sorted(folder.glob("*.json"))] if folder.exists() else []


def lines_of(file: Path) -> list[tuple[str, str]]:
    """Return the recorded lines, each with its sender."""
    rows = file.read_text().splitlines() if file.exists() else []
    return [(row[:1], row[2:]) for row in rows]


def methods(file: Path) -> set[str]:
    """Return the methods of the client's requests that were answered."""
    rows = [(who, json.loads(line)) for who, line in lines_of(file)]
    answered = {json.dumps(row["id"]) for who, row in rows if who == "<" and "result" in row}
    return {
        row["method"] for who, row in rows if who == ">" and "method" in row and json.dumps(row.get("id")) in answered
    }


def revision(file: Path) -> str:
    """Return the protocol revision given in the client's first request."""
    for who, line in lines_of(file):
        params = json.loads(line).get("params", {})
        meta = params.get("_meta", {})
        if who == ">":
            return str(params.get("protocolVersion") or meta.get("io.modelcontextprotocol/protocolVersion"))
    return "-"


def record(client: Client) -> None:
    """Write the client's lines unchanged. For each line of the server, write only its id and its method, which show
    what request it answers or makes."""
    for mode in MODES:
        rows = lines_of(RUNS / client.name / mode / "lines")
        target = RECORDED / f"{client.name}-{mode}.txt"
        if rows:
            text = "".join(f"{who} {line if who == '>' else summary(line)}\n" for who, line in rows)
            target.write_text(neutral(text), encoding="utf-8")


def summary(line: str) -> str:
    message = json.loads(line)
    return json.dumps({key: message[key] for key in ("id", "method") if key in message})


def neutral(text: str) -> str:
    """Return the text with this machine's folders replaced."""
    return text.replace(str(RUNS), "/clients").replace(str(Path.home()), "/home/you")


COLUMNS = ("connects", "first turn", "instructions", "answer", "error", "picture", "prompt", "resources")


def write_table(known: dict[str, Facts]) -> None:
    """Write the table between the page's markers, with a row for each client that has ever been tried."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    old, _, after = rest.partition(END)
    rows = {row.split(" | ")[0].lstrip("| "): row for row in old.splitlines()[3:] if row.startswith("| ")}
    for each in known.values():
        cells = [
            each["title"],
            each["version"],
            each["date"],
            each["revision"],
            *(shown(each[key]) for key in COLUMNS),
        ]
        rows[each["title"]] = f"| {' | '.join(cells)} |"
    head = f"| client | version | tried on | protocol | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 4)}\n"
    order = [client.title for client in CLIENTS.values() if client.title in rows]
    table = head + "".join(rows[title] + "\n" for title in order)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{after}", encoding="utf-8")


def shown(fact: bool | str | None) -> str:
    return fact if isinstance(fact, str) else "-" if fact is None else "yes" if fact else "no"


if __name__ == "__main__":
    sys.exit(main())
