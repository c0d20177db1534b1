"""Runs what the pages tell to type, in its order, and compares what they show as printed."""

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
    """`shown` is what the page shows as printed; empty where it shows nothing."""

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
    assert not wrong, "what is printed is another thing:\n" + "\n".join(wrong)
    session.ended()


def commands_in(text: str) -> Iterator[Typed]:
    """With prompts, what stands between them is what is printed; without, each line is a command."""
    lines = text.replace("\\\n", "").splitlines()
    if not any(line.startswith(PROMPT) for line in lines):
        yield from (Typed(line) for line in lines)
        return
    assert lines[0].startswith(PROMPT), f"{lines[0]!r} is printed by no command"
    starts = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Typed(lines[start].removeprefix(PROMPT), tuple(lines[start + 1 : end]))


def pattern(shown: Sequence[str]) -> str:
    """What it must be, with any lines for `...` and any number of milliseconds."""
    plain = [MILLISECONDS.sub("… ms", line) for line in shown]
    return "".join(
        r"(?:.*\n)*?" if line.partition(" #")[0].rstrip() == "..." else re.escape(line) + r"\n" for line in plain
    )


def run(session: Session, line: str) -> str:
    """What it prints. Fails for a command that ends otherwise than well, and for a program that nobody knows here."""
    words = shlex.split(session.place.stand_in(line), comments=True)
    beside = {}
    while SETTING.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        beside[name] = value
    act = PROGRAMS.get(words[0])
    assert act, f"nothing is known here of {words[0]}: {line}"
    return act(session, words, session.place.stand_in(line), beside)
