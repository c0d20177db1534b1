"""Measure the order of the code: sizes of files and folders, shared names, docstrings, and how far one search goes.

usage: measure_house.py [--before COMMIT] [--run]

The script prints a Markdown table with the columns before, now and wanted. The values of "before" date from 29 November
2026, or come from COMMIT. With --run, it also ingests and searches a sample document, and counts the functions and
files involved.
"""

import argparse
import ast
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import tokenize
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import median, quantiles
from types import FrameType
from typing import TypeGuard, cast

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("server", "tools", "prompts", "corpus")
PARTICIPLES = frozenset({"told", "found", "named", "shown", "held", "said", "given", "asked"})
"""Words that, in a name, say nothing about the thing that is named."""
OLD_BOUNDS = ("MOST_", "LONGEST_", "LEAST_", "SHORTEST_", "FEWEST_", "LARGEST_")
MAX_FOLDER = 20
"""Maximum number of Python files in a folder at which its listing can still be read as a table of contents."""
REASON_WORDS = 8
"""Minimum number of words at which a comment is assumed to give a reason. A shorter one only gives the unit."""

BEFORE = {
    "Python files": "733", "lines that are not blank": "58,700", "file, lines: median / p90 / max": "60 / 120 / 272",
    "files with one importer": "243", "file names that several share": "99 names, 251 files",
    "folders with more than 20 files": "13", "variables called `one`": "703", "constants MOST_, LONGEST_ ...": "188",
    "public docstrings": "76 %", "numbers of the PDF reader with a reason": "36 of 212", "README, lines": "449",
    "files named in docs/architecture.md": "183", "one search: functions / files crossed": "233 / 62",
    "one file ingested: frames / files crossed": "37 / 90",
}  # fmt: skip
WANTED = {
    "Python files": "about 400", "lines that are not blank": "52,000", "file, lines: median / p90 / max":
    "100-130 / 260 / 400", "files with one importer": "under 60", "file names that several share": "15 names",
    "folders with more than 20 files": "2", "variables called `one`": "0 outside comprehensions",
    "constants MOST_, LONGEST_ ...": "0",
    "public docstrings": "95 %", "numbers of the PDF reader with a reason": "all", "README, lines": "150",
    "files named in docs/architecture.md": "40", "one search: functions / files crossed": "120 / 35",
    "one file ingested: frames / files crossed": "18 / 35",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A Python file of the product: its path below the root, its text and its syntax tree."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """The number of non-blank lines."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    @property
    def module(self) -> str:
        """The dotted module name."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(root: Path) -> list[Source]:
    """Return every Python file of the product below `root`."""
    paths = sorted(path for name in PRODUCT for path in (root / name).rglob("*.py"))
    texts = [(path.relative_to(root), path.read_text(encoding="utf-8")) for path in paths]
    return [Source(path, text, ast.parse(text)) for path, text in texts]


def locals_called(source: Source, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each variable and parameter with one of these names, outside comprehensions."""
    inside = {
        id(node)
        for comprehension in ast.walk(source.tree)
        if isinstance(comprehension, ast.comprehension)
        for node in ast.walk(comprehension.target)
    }
    for node in ast.walk(source.tree):
        if isinstance(node, ast.arg) and node.arg in names:
            yield node.lineno, node.arg
        if _is_assigned(node) and node.id in names and id(node) not in inside:
            yield node.lineno, node.id


def old_bounds(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each constant that should begin with MAX_ or MIN_."""
    for node in ast.walk(source.tree):
        if _is_assigned(node) and f"{node.id.lstrip('_')}_".startswith(OLD_BOUNDS):
            yield node.lineno, node.id


def _is_assigned(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def participles(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each function, class and file whose name begins or ends with a participle, except
    not_found."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [(node.lineno, node.name) for node in ast.walk(source.tree) if isinstance(node, defined)]
    for line, name in [(1, source.path.stem), *names]:
        words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name.strip("_"))
        words = [word.lower() for word in words]
        if words[-2:] != ["not", "found"] and words and PARTICIPLES & {words[0], words[-1]}:
            yield line, name


def letters(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each comment or string with the word "letters" instead of "characters"."""
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    for token in tokens:
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for offset, line in enumerate(token.string.splitlines()):
                if re.search(r"\b[Ll]etters\b", line):
                    yield token.start[0] + offset, line.strip()[:80]


def public(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Yield the line and the name of each public function, class and method, and whether it has a docstring.

    Protocol methods, overrides and properties with a single expression also count.
    """
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

    def walk(body: list[ast.stmt], prefix: str) -> Iterator[tuple[int, str, bool]]:
        for node in body:
            if isinstance(node, defined) and not node.name.startswith("_"):
                yield node.lineno, prefix + node.name, ast.get_docstring(node) is not None
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, f"{prefix}{node.name}.")

    yield from walk(source.tree.body, "")


def shared_names(found: list[Source]) -> dict[str, int]:
    """Return each file name that several files share, except __init__.py, with the number of these files."""
    counts = Counter(source.path.name for source in found if source.path.name != "__init__.py")
    return {name: count for name, count in counts.items() if count > 1}


def folders(found: list[Source]) -> dict[str, int]:
    """Return the number of Python files in each folder, not counting __init__.py."""
    return Counter(str(source.path.parent) for source in found if source.path.name != "__init__.py")


def importers(found: list[Source]) -> Counter[str]:
    """Return the number of product files that import each module."""
    modules = {source.module for source in found}
    counts: Counter[str] = Counter()
    for source in found:
        names: set[str] = set()
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
        counts.update((names & modules) - {source.module})
    return counts


def numbers_with_reason(found: list[Source]) -> tuple[int, int]:
    """Return how many named numbers in the PDF reader have a comment of at least REASON_WORDS words, and how many named
    numbers there are."""
    reasoned = total = 0
    for source in found:
        if not source.path.is_relative_to("corpus/readers/pdf"):
            continue
        lines, body = source.text.splitlines(), source.tree.body
        for node, after in zip_longest(body, body[1:]):
            if not isinstance(node, ast.Assign) or not re.search(r"^_?[A-Z]", ast.unparse(node.targets[0])):
                continue
            if not re.fullmatch(r"[-+*/<() .,\d_e]+", ast.unparse(node.value)):
                continue
            total += 1
            texts = []
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                texts.append(str(after.value.value))
            texts += [lines[node.lineno - 1].partition("#")[2]]
            above = lines[node.lineno - 2].strip() if node.lineno > 1 else ""
            texts += [above] if above.startswith("#") else []
            reasoned += any(len(text.split()) >= REASON_WORDS for text in texts)
    return reasoned, total


def table(root: Path) -> dict[str, str]:
    """Return the rows that can be measured without running the product."""
    found = sources(root)
    sizes = sorted(source.lines for source in found if source.path.name != "__init__.py")
    shared = shared_names(found)
    known = [documented for source in found for *_, documented in public(source)]
    reasoned, numbers = numbers_with_reason(found)
    one_importer = sum(count == 1 for count in importers(found).values())
    one = sum(len([*locals_called(source, frozenset({"one"}))]) for source in found)
    everywhere = sum(
        (isinstance(node, ast.arg) and node.arg == "one") or (_is_assigned(node) and node.id == "one")
        for source in found
        for node in ast.walk(source.tree)
    )
    bounds = sum(len([*old_bounds(source)]) for source in found)
    architecture = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = set(re.findall(r"[\w/]+\.py", architecture))
    return {
        "Python files": f"{len(found)}",
        "lines that are not blank": f"{sum(source.lines for source in found):,}",
        "file, lines: median / p90 / max": f"{median(sizes):.0f} / {quantiles(sizes, n=10)[-1]:.0f} / {sizes[-1]}",
        "files with one importer": f"{one_importer}",
        "file names that several share": f"{len(shared)} names, {sum(shared.values())} files",
        "folders with more than 20 files": f"{sum(n > MAX_FOLDER for n in folders(found).values())}",
        "variables called `one`": f"{one} ({everywhere} with those of comprehensions)",
        "constants MOST_, LONGEST_ ...": f"{bounds}",
        "public docstrings": f"{100 * sum(known) / len(known):.0f} %",
        "numbers of the PDF reader with a reason": f"{reasoned} of {numbers}",
        "README, lines": f"{len((root / 'README.md').read_text(encoding='utf-8').splitlines())}",
        "files named in docs/architecture.md": f"{len(files)}",
    }


class Crossed:
    """A profiler that, while `is_on` is True, records which functions and files of the product are called, and the
    deepest stack."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.deepest = 0
        self.is_on = False

    def __str__(self) -> str:
        return f"{len(self.functions)} / {len({file for file, *_ in self.functions})}"

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Record a call event, as the callback of `sys.setprofile`."""
        code = frame.f_code
        if self.is_on and event == "call" and _is_ours(code.co_filename):
            self.functions.add((code.co_filename, code.co_name, code.co_firstlineno))
            depth, outer = 0, cast(FrameType | None, frame)
            while outer is not None:
                depth += _is_ours(outer.f_code.co_filename)
                outer = outer.f_back
            self.deepest = max(self.deepest, depth)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Record calls while the context is open, on every thread that is started after `sys.setprofile`."""
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False


def _is_ours(file: str) -> bool:
    return file.startswith(tuple(f"{ROOT / name}/" for name in PRODUCT))


def run() -> dict[str, str]:
    """Return how many functions and files of the product a second search and the ingestion of a new file involve in
    this process, with the sample documents."""
    import anyio
    from click.testing import CliRunner

    from corpus.access import ANONYMOUS
    from server.bootstrap import library
    from server.commands.group import ibid
    from server.settings.model import load_settings

    searched, ingested = Crossed(), Crossed()
    samples = sorted(map(str, (ROOT / "examples" / "documents").glob("*.pdf")))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAG_DATA_DIR"] = folder
        CliRunner().invoke(ibid, ["ingest", samples[0]])

        async def search() -> None:
            async with library(load_settings()) as shelf:
                await shelf.search("ready", ANONYMOUS, top_k=1)
                with searched.counting():
                    await shelf.search("How does the pump work?", ANONYMOUS)

        with _profiled(searched):
            anyio.run(search)
        with _profiled(ingested), ingested.counting():
            CliRunner().invoke(ibid, ["ingest", samples[-1]])
    files = str(ingested).partition(" / ")[2]
    return {
        "one search: functions / files crossed": str(searched),
        "one file ingested: frames / files crossed": f"{ingested.deepest} / {files}",
    }


@contextmanager
def _profiled(crossed: Crossed) -> Iterator[None]:
    threading.setprofile(crossed)
    sys.setprofile(crossed)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def of_commit(commit: str) -> dict[str, str]:
    """Return the table for another commit of this repository."""
    words = ["git", "-C", str(ROOT), "archive", commit]
    archive = subprocess.run(words, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return table(Path(folder))


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="COMMIT")
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args(arguments)
    before = of_commit(options.before) if options.before else BEFORE
    now = table(ROOT) | (run() if options.run else {})
    print(f"| | {options.before or '29 November 2026'} | now | wanted |\n|---|---|---|---|")
    for row, number in now.items():
        print(f"| {row} | {before.get(row, '')} | {number} | {WANTED.get(row, '')} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
