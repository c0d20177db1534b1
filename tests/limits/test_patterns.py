"""No pattern of the product takes long, whatever the text."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.doubles.raw_stdio import CHECKOUT
from tests.limits.patterns import Found, slow

PARTS = 2
DEPENDING: dict[str, tuple[str, int]] = {
    "corpus/citing/structure.py": (r"^[ \t>]*```[`~]*[ \t]*$", re.MULTILINE),
    "corpus/index/azure/name_variants.py": (r"pum(?:p|\uff50)", 0),
    "corpus/ingestion/build_document.py": (r"(?:\b|(?<=\w))(?:pump|valve)\b", 0),
    "corpus/places/places_of_block.py": (r"B\.?\s", 0),
    "corpus/readers/text_files/markdown_source.py": (r"<(/?)details\b[^<>]{0,1000}>", re.IGNORECASE),
    "corpus/readers/ocr/scans.py": (r"(?<!\S)No\.\s*([\d.,]{4})(?!\S)", 0),
    "corpus/readers/office/text/rtf.py": (r"\{\\title ([^{}\\]{1,300})\}", 0),
    "corpus/synthesis/answerability.py": (r"(?:(?<![\w/-])(?:\w++[-/])*)?900(?:[-/]\w+)*", 0),
    "corpus/synthesis/extractive/question.py": (
        r"\bpump\w{0,2}\W{0,3}(?:\([^)]{1,40}\)\s*)?(?:is|are|:)",
        0,
    ),
    "corpus/synthesis/extractive/periods.py": (r"(?<!\w)(?:depuis|jusqu'en|de)(?!\w)", re.IGNORECASE),
    "corpus/synthesis/retrieval.py": (r"\bpump(?:[-\s](?=[A-Z0-9])[\w./-]*\w)*", 0),
    "corpus/synthesis/hit_expansion.py": (r"\bfig\w*\.?\s*3\b", 0),
    "corpus/synthesis/extractive/meanings.py": (r"\bpump\w*", re.IGNORECASE),
    "corpus/synthesis/query_entities.py": (
        r"(?<!\w)DH[\W_]{0,2}(?:\d{1,5}\w?(?:\s?[,/]\s?|\s(?:and|und|or|oder|to|bis)\s|\s?[–-]\s?)-?){0,8}40(?!\w)",
        re.IGNORECASE,
    ),
    "corpus/verification/quantities.py": (r"¼|¾|\b25\b|\b75\b|/4\b", 0),
    "server/answer_page/answer_html.py": (
        r"\ue000xl(\d+)\ue001((?:(?!\ue000xl).)*?)\ue000xe\1\ue001",
        re.DOTALL,
    ),
    "server/commands/ask_terminal.py": (r"a\.pdf|b\.md", 0),
    "server/mcp_prompts.py": (r"(?<![\w-])rag_search(?![\w-])", 0),
}
"""Examples of patterns that depend on an argument of their function."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_no_pattern_is_slow(part: int) -> None:
    """Run in a separate process, which sees the modules compile their patterns."""
    command = [sys.executable, "-m", "tests.limits.patterns", f"{part}/{PARTS}"]
    said = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout

    assert said.splitlines()[-1] == "0 slow", said
    known = [line.partition(":")[0] for line in said.splitlines() if ".py: " in line]
    assert set(known) == set(DEPENDING), "a pattern that depends on an argument needs an example here"


def test_no_composed_pattern_is_slow() -> None:
    assert slow([Found(re.compile(*pattern), {place}) for place, pattern in DEPENDING.items()]) == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s+$",
        r"(?:a+)+b",
        r"\w+@",
        r"<[^>]*>",
        r"x.*y.*z",
        r"(?:\d+[.,]?)*%",
        r"\[[^\]]*\]",
        r"\s*,\s*",
        r"(?:\w+\s?)+:",
    ],
)
def test_the_measurement_detects_slow_patterns(pattern: str) -> None:
    assert slow([Found(re.compile(pattern), {"here"})])


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s++$", r"\w{1,60}@", r"<[^<>]{0,200}>", r"[a-z]+", r"(?<!\s)\s*+,\s*+"])
def test_the_measurement_accepts_fast_patterns(pattern: str) -> None:
    assert not slow([Found(re.compile(pattern), {"here"})])
