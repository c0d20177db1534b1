"""Every code block of the documentation is run, parsed by its consumer, or compared with the output that it shows.

`treatments.py` assigns a treatment to each block. `programs.py` and `configurations.py` list the blocks that cannot be
run here, and why.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.commands.group import ibid
from tests.documentation.blocks import ROOT, Block, blocks_in, blocks_of, pages, texts
from tests.documentation.commands import commands_in, pattern, run_commands
from tests.documentation.place import OTHERS, Place, write_documents
from tests.documentation.session import QUICKSTART, TRIAL
from tests.documentation.treatments import pieces, treatment

pytestmark = pytest.mark.slow

BLOCKS = [block for page in pages() for block in blocks_of(page)]
PIECES = pieces(BLOCKS)
POSIX = "lines of a POSIX shell, and servers that a signal ends"


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the documents in `place.py`, without vectors."""
    root = tmp_path_factory.mktemp("ingested")
    write_documents(root)
    env = {"RAG_DATA_DIR": str(root / "index"), "RAG_EMBEDDER": "none"}
    done = CliRunner().invoke(ibid, ["ingest", str(root)], env=env)
    assert done.exit_code == 0, done.output
    return root / "index"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    for name in os.environ:
        if name.startswith(OTHERS):
            monkeypatch.delenv(name)
    with ExitStack() as open_:
        place = Place(tmp_path, tmp_path / "index", open_)
        monkeypatch.chdir(place.folder)
        yield place


@pytest.mark.parametrize("blocks", PIECES, ids=lambda blocks: str(blocks[0]))
def test_a_block_is_correct(blocks: tuple[Block, ...], place: Place, request: pytest.FixtureRequest) -> None:
    treat = treatment(blocks[0])
    assert treat, f"{blocks[0]}: nothing runs, reads or compares this block. Add a treatment to treatments.py."
    if treat is run_commands:
        if os.name != "posix":
            pytest.skip(POSIX)
        prepared(place, blocks[0].page, request)
    treat(blocks, place)


def prepared(place: Place, page: str, request: pytest.FixtureRequest) -> None:
    """Prepare the environment that a reader of that page already has."""
    if page == "README.md":
        write_documents(place.home / "Documents")
        place.with_embedder()
        return
    if page in (QUICKSTART, TRIAL):
        place.with_copies("examples/documents", of=ROOT)
        place.with_embedder()
        return
    shutil.copytree(request.getfixturevalue("ingested"), place.index)
    place.with_documents()
    if page == "docs/azure.md":
        place.stand_in("https://NAME.search.windows.net")
        assert place.service
        place.env |= {
            "AZURE_SEARCH_ENDPOINT": place.service.endpoint,
            "AZURE_SEARCH_API_KEY": place.service.admin_key,
        }
    elif page == "docs/evaluation.md":
        (place.folder / "questions.jsonl").write_text(texts(page, "json"), encoding="utf-8")
    elif page == "prompts/README.md":
        place.with_copies("prompts", of=ROOT)
    elif page == "docs/tracing.md":
        place.env |= {"PUBLIC_KEY": "pk-lf-1", "SECRET_KEY": "sk-lf-1"}


def test_there_are_blocks_of_every_kind() -> None:
    assert len(BLOCKS) > 50
    assert {"console", "json", "python", "text", "nginx", "dotenv"} <= {one.language for one in BLOCKS}


@pytest.mark.parametrize(
    "text",
    [
        "```\nibid ask x\n```",
        "~~~sh\nls\n~~~",
        "    ibid ask x",
        "```yaml\na: 1\n```",
        "```json\n[]\n```",
        "```text\nx\n```",
    ],
)  # fmt: skip
def test_an_untreated_block_is_noticed(text: str) -> None:
    (block,) = blocks_in("docs/new.md", f"# New\n\n{text}\n")
    assert treatment(block) is None


@pytest.mark.parametrize(
    "text",
    [
        "ibid serch x", "ibid list --jsn", "$ ibid list nothing-of-the-kind\n1 document", "curl https://example.org",
        "export RAG_DEPARTMNT=hr", "pip install '.[nothing]'", "make tset", "ibid list && rm x",
    ],
)  # fmt: skip
@pytest.mark.skipif(os.name != "posix", reason=POSIX)
def test_a_failing_command_is_noticed(text: str, place: Place) -> None:
    block = Block("docs/new.md", 1, "", "console", f"{text}\n")
    with pytest.raises(AssertionError):
        run_commands([block], place)


def test_output_is_read_between_the_prompts_and_dots_match_any_lines() -> None:
    first, second = commands_in("$ a b \\\n  c  # why\nx 12 ms\n...\n$ d\n")
    assert (first.line, first.shown, second.shown) == ("a b   c  # why", ("x 12 ms", "..."), ())
    assert pattern(first.shown) == "x\\ …\\ ms\\n(?:.*\\n)*?"
