"""All regular expressions of the product, and their time on hostile text.

`python -m tests.limits.patterns` counts the patterns and prints those that take more than `BOUND` seconds of CPU time
for `SIZE` characters. The texts have general shapes, and shapes derived from the pattern itself: the text that its
loops repeat.
"""

from __future__ import annotations

import ast
import importlib
import math
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any

from tests.machine import slowness

ROOT = Path(__file__).parents[2]
PACKAGES = ("corpus", "prompts", "server", "tools")
SIZE = 100_000
BOUND = 0.2
# Number of measurements of the long text before a pattern is called slow.
TRIES = 5
# The long text has this many times the characters of the short one.
STEP = 32
# Modules that start something on import.
PROGRAMS = {"server.__main__", "corpus.readers.__main__"}
# Each text is repeated until it has `SIZE` characters.
SHAPES = (
    " ", "\n", " \n", "\t \r\n", "a", "1", "1 ", "a ", "Aa1", "1,", "1.1", "a-", "a.", "A. ", "a@a", "[", "](", "<",
    "<a ", "<!--", "&", "*", "_a", "`", "|", "|-", "\\", "(", "(1) ", "[1]", "# ", '"', "'", "$", "/", "a/", "%1",
    "\u00a0", "文", "ß ",
)  # fmt: skip
_METHODS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"}
# These methods look for a single match. All others are measured as `finditer`.
_SINGLE = {"match", "fullmatch", "search"}
_CANDIDATES = " a1A.-,\n\t(/:_'\"<>=|*#[]@&;%$\\äЖ文\u00a0"


@dataclass
class Found:
    """A regular expression with the lines that compile it and the methods that use it."""

    pattern: re.Pattern[Any]
    places: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)


def of_the_product() -> tuple[list[Found], list[str]]:
    """Return all patterns, and the calls whose pattern depends on a function argument."""
    found: dict[tuple[Any, int], Found] = {}

    def keep(pattern: re.Pattern[Any], place: str) -> Found:
        entry = found.setdefault((pattern.pattern, pattern.flags), Found(pattern))
        entry.places.add(place)
        return entry

    real = re._compile  # type: ignore[attr-defined]

    def recording(pattern: Any, flags: int) -> Any:
        compiled = real(pattern, flags)
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_code.co_filename.endswith("re/__init__.py"):
            frame = frame.f_back
        path = Path(frame.f_code.co_filename) if frame else Path()
        if frame and path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES:
            keep(compiled, f"{path.relative_to(ROOT)}:{frame.f_lineno}")
        return compiled

    re._compile = recording  # type: ignore[attr-defined]
    try:
        modules = list(_modules())
    finally:
        re._compile = real  # type: ignore[attr-defined]
    sources = {module: ast.parse(Path(module.__file__ or "").read_text("utf-8")) for module in modules}
    uses = Uses(sources)
    unresolved = []
    for module, tree in sources.items():
        place = str(Path(module.__file__ or "").relative_to(ROOT))
        for name, value in vars(module).items():
            for pattern in _patterns(value):
                if (entry := found.get((pattern.pattern, pattern.flags))) is not None:
                    entry.methods |= uses.of(module.__name__, name, value)
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            method = call.func.attr
            if ast.unparse(call.func.value) != "re" or method not in _METHODS | {"compile"}:
                continue
            try:
                flags = [eval(ast.unparse(key.value), vars(module)) for key in call.keywords if key.arg == "flags"]
                if method == "compile" and len(call.args) > 1:
                    flags = [eval(ast.unparse(call.args[1]), vars(module))]
                pattern = re.compile(eval(ast.unparse(call.args[0]), vars(module)), *flags)
            except NameError:
                if not any(
                    f"{place}:{line}" in entry.places
                    for entry in found.values()
                    for line in range(call.lineno, (call.end_lineno or 0) + 1)
                ):
                    unresolved.append(f"{place}: {ast.unparse(call.args[0])}")
                continue
            entry = keep(pattern, f"{place}:{call.lineno}")
            if method != "compile":
                entry.methods.add(method)
    return list(found.values()), unresolved


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        root = importlib.import_module(package)
        yield root
        for info in pkgutil.walk_packages(root.__path__, f"{package}."):
            if info.name not in PROGRAMS and not info.name.endswith(".__main__"):
                yield importlib.import_module(info.name)


def _patterns(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _patterns(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _patterns(part)


class Uses:
    """Methods that the product calls on its patterns; "all" if a pattern is passed to another module."""

    def __init__(self, modules: Mapping[ModuleType, ast.Module]) -> None:
        self._by_module: dict[str, dict[str, set[str]]] = {}
        self._loose: dict[str, set[str]] = {}
        for module, tree in modules.items():
            uses = self._by_module[module.__name__] = {}
            loose = self._loose[module.__name__] = set()
            fixed = {name for name, value in vars(module).items() if isinstance(value, re.Pattern)} | {"re"}
            parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and node.attr in _METHODS - {"split"}:
                    loose |= set() if isinstance(node.value, ast.Name) and node.value.id in fixed else {node.attr}
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                    parent = parents.get(node)
                    method = parent.attr if isinstance(parent, ast.Attribute) else "all"
                    if method not in ("pattern", "flags"):
                        name = node.id if isinstance(node, ast.Name) else node.attr
                        uses.setdefault(name, set()).add(method if method in _METHODS else "all")

    def of(self, module: str, name: str, value: object) -> set[str]:
        """Return the methods of a pattern. A collection, or a pattern that is passed to a function, may get any method
        that is called on a variable."""
        modules = [module] if name.startswith("_") else [one for one in self._by_module if name in self._by_module[one]]
        loose = set().union(*(self._loose[one] for one in modules)) or {"all"}
        if not isinstance(value, re.Pattern):
            return loose
        methods = set().union(*(self._by_module[one].get(name, set()) for one in modules))
        return (methods - {"all"}) | loose if "all" in methods else methods


def hostile(pattern: re.Pattern[Any]) -> list[str]:
    """Return the texts whose repetition is measured. Some of them are derived from the pattern itself."""
    pieces = dict.fromkeys((shape, "", "") for shape in SHAPES)
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    for before, body in _loops(parser.parse(source, pattern.flags & ~re.LOCALE), ""):
        for piece in body:
            pieces |= dict.fromkeys([(piece, before, "\x00"), (before + piece, "", "\x00")])
        if before:
            pieces[before, "", ""] = None
    return list(pieces)


def _loops(parsed: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    for code, argument in parsed:
        if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            _, most, body = argument
            if most > 50:
                yield before, _examples(body)
            yield from _loops(body, before)
        elif code is op.BRANCH:
            for branch in argument[1]:
                yield from _loops(branch, before)
        elif code is op.SUBPATTERN:
            yield from _loops(argument[3], before)
        elif code is op.ATOMIC_GROUP:
            yield from _loops(argument, before)
        elif code in (op.ASSERT, op.ASSERT_NOT):
            yield from _loops(argument[1], before)
            continue
        before += _examples([(code, argument)])[0]


def _examples(parsed: Any) -> list[str]:
    """Return texts that match the parsed sequence without its lookarounds: at least one, which may be empty."""
    texts = [""]
    for code, argument in parsed:
        if code is op.LITERAL:
            more = [chr(argument)]
        elif code is op.NOT_LITERAL:
            more = [one for one in _CANDIDATES if ord(one) != argument][:2]
        elif code is op.ANY:
            more = ["a", " "]
        elif code is op.IN:
            member = re.compile(_charset(argument))
            more = [one for one in _CANDIDATES if member.match(one)][:6] or _first(argument)
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            more = [part * max(argument[0], 1) for part in _examples(argument[2])]
        elif code is op.BRANCH:
            more = [_examples(branch)[0] for branch in argument[1]][:6]
        elif code is op.SUBPATTERN:
            more = _examples(argument[3])
        elif code is op.ATOMIC_GROUP:
            more = _examples(argument)
        else:
            more = [""]
        texts = [texts[0] + part for part in more] + [text + more[0] for text in texts[1:]]
    return texts[:8]


def _charset(items: Any) -> str:
    names = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_SPACE: r"\s",
             op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W"}  # fmt: skip
    parts = []
    for code, argument in items:
        if code is op.NEGATE:
            parts.append("^")
        elif code is op.LITERAL:
            parts.append(re.escape(chr(argument)))
        elif code is op.RANGE:
            parts.append("-".join(re.escape(chr(end)) for end in argument))
        else:
            parts.append(names[argument])
    return f"[{''.join(parts)}]"


def _first(items: Any) -> list[str]:
    for code, argument in items:
        if code is op.LITERAL:
            return [chr(argument)]
        if code is op.RANGE:
            return [chr(argument[0])]
    return ["a"]


class TooLong(Exception):
    pass


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TooLong

    former = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def slow_shape(entry: Found) -> tuple[tuple[str, str, str], str] | None:
    """Return the first shape that takes too long, and the method; None if there is none."""
    methods = entry.methods if entry.methods and entry.methods <= _SINGLE else {"finditer"}
    pairs = ((shape, method) for method in sorted(methods) for shape in hostile(entry.pattern))
    return next((pair for pair in pairs if is_slow(entry.pattern, *pair)), None)


def is_slow(pattern: re.Pattern[Any], shape: tuple[str, str, str], method: str) -> bool:
    """Return whether the long text takes more than `BOUND` seconds. The short text decides if the result is certain.

    The machine may be busy, or slower than usual, so each excess is measured again.
    """
    short = _text(pattern, shape, SIZE // STEP)
    at_short = _seconds(pattern, method, short, BOUND * 3)
    if at_short <= BOUND / STEP**2:  # quadratic growth would stay within the bound
        return False
    if at_short > BOUND:
        return _seconds(pattern, method, short, BOUND * 3) > BOUND
    at_short = min(at_short, _seconds(pattern, method, short, BOUND))
    at_quarter = _seconds(pattern, method, _text(pattern, shape, SIZE // STEP // 4), BOUND)
    if at_short < at_quarter * 8 and at_short * STEP < BOUND:  # linear growth would
        return False
    long = _text(pattern, shape, SIZE)
    return all(_seconds(pattern, method, long, BOUND * slowness()) == math.inf for _ in range(TRIES))


def _text(pattern: re.Pattern[Any], shape: tuple[str, str, str], size: int) -> Any:
    piece, before, after = shape
    text = before + piece * (size // max(len(piece), 1)) + after
    return text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")


def _seconds(pattern: re.Pattern[Any], method: str, text: Any, limit: float) -> float:
    """Return the CPU seconds, or infinity beyond the limit."""
    began = time.thread_time()
    with suppress(TooLong), _alarm(limit):
        if method in _SINGLE:
            getattr(pattern, method)(text)
        else:
            for _ in pattern.finditer(text):
                pass
        return time.thread_time() - began
    return math.inf


def slow(entries: Sequence[Found]) -> list[str]:
    """Return a line for each pattern that takes more than `BOUND` seconds."""
    return [
        f"{', '.join(sorted(entry.places))}: {pair[0]} by {pair[1]}: {entry.pattern.pattern!r}"
        for entry in entries
        if (pair := slow_shape(entry))
    ]


def main(*words: str) -> None:
    """Measure all patterns, a fraction such as `2/8`, or those of files whose names contain one of the words."""
    entries, depending = of_the_product()
    print(f"{len(entries)} patterns, {len(depending)} that depend on what they are handed")
    print("\n".join(sorted(depending)))
    for word in words:
        part, slash, parts = word.partition("/")
        if slash and part.isdigit() and parts.isdigit():
            entries = entries[int(part) - 1 :: int(parts)]
        else:
            entries = [entry for entry in entries if any(word in place for place in entry.places)]
    found = slow(entries)
    print("\n".join(found))
    print(f"{len(found)} slow")


if __name__ == "__main__":
    main(*sys.argv[1:])
