"""Run the commands of the pages in order, and compare their output with the shown output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.documentation.blocks import Block
from tests.documentation.place import Place
from tests.documentation.programs import PROGRAMS
from tests.documentation.session import Session

PROMPT = "$ "
MILLISECONDS = re.compile(r"\b[\d.,]+ ms\b")
SETTING = re.compile(r"[A-Z][A-Z0-9_]*=")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command on a page. `shown` is the output that the page shows, or empty."""

    line: str
    shown: tuple[str, ...] = ()


def run_commands(blocks: Sequence[Block], place: Place) -> None:
    session, wrong = Session(place, blocks[0].page), []
    session.to_serve = sum("ibid serve" in block.text for block in blocks)
    for block in blocks:
        for typed in commands_in(block.text):
            printed = run(session, typed.line)
            if typed.shown:
                expected = pattern([place.says(line) for line in typed.shown])
                plain = MILLISECONDS.sub("… ms", printed)
                if not re.fullmatch(expected, plain):
                    wrong.append(f"{block}: {typed.line}\n{plain}")
    assert not wrong, "the printed output differs:\n" + "\n".join(wrong)
    session.ended()


def commands_in(text: str) -> Iterator[Typed]:
    """Yield the commands. With prompts, the text between them is the output. Without prompts, each line is a
    command."""
    lines = text.replace("\\\n", "").splitlines()
    if not any(line.startswith(PROMPT) for line in lines):
        yield from (Typed(line) for line in lines)
        return
    assert lines[0].startswith(PROMPT), f"no command prints {lines[0]!r}"
    starts = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Typed(lines[start].removeprefix(PROMPT), tuple(lines[start + 1 : end]))


def pattern(shown: Sequence[str]) -> str:
    """Return a pattern for the output, with any lines for `...` and any number of milliseconds."""
    plain = [MILLISECONDS.sub("… ms", line) for line in shown]
    return "".join(
        r"(?:.*\n)*?" if line.partition(" #")[0].rstrip() == "..." else re.escape(line) + r"\n" for line in plain
    )


def run(session: Session, line: str) -> str:
    """Return the output of a command. Fail if it does not succeed, or if the program is unknown here."""
    words = shlex.split(session.place.stand_in(line), comments=True)
    beside = {}
    while SETTING.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        beside[name] = value
    act = PROGRAMS.get(words[0])
    assert act, f"unknown program {words[0]}: {line}"
    return act(session, words, session.place.stand_in(line), beside)
