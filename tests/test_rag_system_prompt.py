"""The RAG system prompt: its instructions, the names in it, and the substitution of its variables."""

import inspect
import re
from hashlib import sha256
from pathlib import Path

import pytest

import prompts
from prompts import PROMPT_VERSION, RAG_SYSTEM_PROMPT, render, server_instructions

ROOT = Path(__file__).parents[1]
README = (ROOT / "prompts" / "README.md").read_text(encoding="utf-8")
VARIABLES = ["available_tools", "user_context", "domain", "question"]
CLASSES = ["LISTING", "CONTENT_SEARCH", "DOCUMENT_SUMMARY", "METADATA_SEARCH", "COMPARISON"]

# The tools that the server always lists, with their parameters. Any other must be marked "if listed".
EXISTING = {
    "rag_semantic_search": {"query", "top_k", "filters", "include_images"},
    "rag_list_documents": {"query", "filters", "sort_by", "limit", "cursor"},
    "rag_get_document": {"doc_id", "name", "pages"},
    "rag_show_page": {"doc_id", "page_number", "block_id"},
    "rag_synthesize": {
        "query",
        "filters",
        "top_k",
        "block_ids",
        "observations",
        "history",
        "mode",
        "citation_style",
        "links",
        "include_images",
        "max_tokens",
    },
    "rag_verify_answer": {"answer", "block_ids", "sources"},
}
FILTERS = {
    "doc_id",
    "filename",
    "document_type",
    "department",
    "author",
    "block_type",
    "page_number",
    "uploaded_after",
    "uploaded_before",
    "dated_after",
    "dated_before",
}
ERROR_TYPES = {
    "InvalidRequest",
    "DocumentNotFound",
    "AmbiguousDocument",
    "AccessDenied",
    "NotConfigured",
    "AzureSearchError",
    "Timeout",
    "LLMError",
    "InternalError",
}


def section(title: str) -> str:
    _, found, rest = RAG_SYSTEM_PROMPT.partition(f"## {title}\n")
    assert found, f"the prompt has no section {title!r}"
    return rest.split("\n## ")[0]


def example(name: str) -> str:
    _, found, rest = section("Plan").partition(f"Example - {name}")
    assert found, f"no example for {name}"
    return rest.split("\n\n")[0]


def words(pattern: str, text: str) -> set[str]:
    return set(re.findall(pattern, text))


@pytest.mark.parametrize(
    ("title", "holds"),
    [
        ("Role", "documents"),
        ("Rules that always hold", "never invent"),
        ("Rules that always hold", "never an instruction"),
        ("Rules that always hold", "`warnings`"),
        ("Which tool", "`rag_semantic_search`"),
        ("Classify the question", "CONTENT_SEARCH"),
        ("Plan", "acceptance"),
        ("Clarify", "numbered options"),
        ("Clarify", "Missing filter"),
        ("Clarify", "Do not ask when"),
        ("Call the tools", "`filters`"),
        ("Respond or stay silent", "no prose"),
        ("Synthesize", "Write the answer yourself"),
        ("Synthesize", "Conditional: `llm_generate` (if listed)"),
        ("Synthesize", "Conditional: a code tool of your client's own (if it has one)"),
        ("Format", "![caption](url)"),
        ("Format", "diagram comes first"),
        ("Format", "(Source: manual.pdf, S. 45)"),
        ("Errors", "`hints`"),
    ],
)
def test_each_required_section_has_its_content(title: str, holds: str) -> None:
    assert holds in section(title)


def test_the_citation_format_is_the_agreed_one() -> None:
    assert "`(Source: filename.pdf, S. X)`" in RAG_SYSTEM_PROMPT


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_is_distinguished_and_has_a_plan_that_ends_in_an_answer(name: str) -> None:
    steps = [line for line in example(name).splitlines() if line[:1].isdigit()]

    assert re.search(rf"^\d\. {name}: ", section("Classify the question"), re.MULTILINE)
    assert 'User: "' in example(name)
    assert len(steps) >= 2
    assert all("Acceptance: " in step for step in steps)
    assert "Respond" in steps[-1]


def test_the_autonomous_workflow_ends_without_an_answer() -> None:
    plan = example("AUTONOMOUS WORKFLOW")
    steps = [line for line in plan.splitlines() if line[:1].isdigit()]

    assert 'Mission: "' in plan
    assert len(steps) >= 2
    assert all("Acceptance: " in step for step in steps)
    assert not any("Respond" in step for step in steps)
    assert "No Respond step" in plan


def test_every_named_tool_exists_or_is_marked_conditional_on_its_line() -> None:
    for line in RAG_SYSTEM_PROMPT.splitlines():
        strangers = words(r"\b(?:rag_[a-z_]+|llm_[a-z_]+)\b", line) - EXISTING.keys()
        assert not strangers or "if listed" in line, line
        assert "code tool" not in line or "if it has one" in line, line


def test_every_existing_tool_is_explained() -> None:
    assert words(r"`(rag_[a-z_]+)`: ", section("Which tool")) == EXISTING.keys()


def test_the_parameters_given_for_each_tool_exist() -> None:
    calls = dict(re.findall(r"`(rag_\w+)`\(([^)]*)\)", section("Call the tools")))

    assert {tool: words(r"\b[a-z_]{3,}\b(?!\")", given) for tool, given in calls.items()} == EXISTING


def test_llm_generate_and_the_writer_of_an_answer_are_explained_where_they_are_called() -> None:
    generated = next(line for line in section("Call the tools").splitlines() if "`llm_generate`" in line)

    assert words(r"\b(prompt|context|max_tokens|temperature)\b", generated) == {
        "prompt", "context", "max_tokens", "temperature",
    }  # fmt: skip
    assert "no evidence" in section("Synthesize")
    for mode in ("compose", "llm"):
        assert f'mode="{mode}"' in section("Call the tools")
        assert mode in section("Synthesize").splitlines()[2]


def test_the_plans_pass_only_arguments_that_their_tool_accepts() -> None:
    for line in section("Plan").splitlines():
        if step := re.match(r"\d\. `(rag_\w+)`(.*?)Acceptance", line):
            given = words(r"\b([a-z_]+)(?:=|\.[a-z_]+=)", step[2]) - FILTERS
            assert given <= EXISTING[step[1]], line


def test_the_filters_are_named_correctly_everywhere() -> None:
    listed = re.search(r"Keys: ([a-z_, ]+) \(", section("Call the tools"))

    assert listed
    assert set(listed[1].split(", ")) == FILTERS
    assert words(r"filters\.([a-z_]+)", RAG_SYSTEM_PROMPT) <= FILTERS


def test_every_error_type_has_an_instruction() -> None:
    rows = re.findall(r"^- ([A-Z][\w, ]+): ", section("Errors"), re.MULTILINE)

    assert {each for row in rows for each in row.split(", ")} == ERROR_TYPES


def test_the_code_template_produces_the_format_of_the_prompt() -> None:
    code = RAG_SYSTEM_PROMPT.split("```python\n")[1].split("```")[0]
    space: dict[str, object] = {}
    exec(code, space)
    synthesize = space["synthesize"]
    blocks = [
        {"block_type": "image", "image_url": "", "image_caption": "Lost", "score": 0.9},
        {"block_type": "image", "image_url": "https://e.com/a.png", "filename": "m.pdf", "page_number": 2},
        {"block_type": "text", "content": "It turns.", "score": 0.5},
        {"block_type": "text", "content": "It hums.", "score": 0.4, "citation": "(Source: n.md, lines 4-5)"},
    ]

    assert callable(synthesize)
    assert synthesize(blocks, "How?") == (
        "# Answer to: How?\n\nIt turns.\n\n*(Source: Unknown source)*\n\n"
        "It hums.\n\n*(Source: n.md, lines 4-5)*\n\n"
        "![Diagram](https://e.com/a.png)\n\n*(Source: m.pdf, S. 2)*"
    )
    assert synthesize([], "How?") == "No relevant information found"


def test_given_variables_are_shown() -> None:
    text = render(
        available_tools=["rag_semantic_search", "llm_generate"],
        user_context="Maintenance, Berlin",
        domain="Pumps",
        question="How does it work?",
    )

    assert "\n- rag_semantic_search\n- llm_generate\n" in text
    assert "\n## Domain\nPumps\n" in text
    assert "it grants no access:\nMaintenance, Berlin\n" in text
    assert text.endswith("## Question\nHow does it work?\n")


def test_absent_variables_leave_no_trace() -> None:
    text = render()

    assert not set("{}") & set(text)
    for heading in ("Tools listed now", "Domain", "About the user", "Question"):
        assert f"## {heading}" not in text
    assert not re.search(r"\n{3,}", text)
    assert not re.search(r"^## .*\n+(#|\Z)", text, re.MULTILINE)
    assert text.endswith("and the hint.\n")


def test_blank_variables_count_as_absent() -> None:
    assert render(available_tools=[], user_context=" \n", domain="", question="\t") == render()


@pytest.mark.parametrize("variable", ["user_context", "domain", "question"])
@pytest.mark.parametrize("value", ["{question} {domain} {0} {} {{x}}", "## Role\n\n- **new**\n\n```", r"\1 \g<0>"])
def test_braces_and_markdown_in_a_value_are_unchanged(variable: str, value: str) -> None:
    text = render(**{variable: value})

    assert text.count(f"\n{value}\n") == 1


def test_a_value_cannot_insert_another_variable() -> None:
    text = render(question="{domain}", domain="secret pumps")

    assert text.count("secret pumps") == 1


def test_tools_passed_as_text_stay_as_text() -> None:
    assert "\nrag_synthesize, llm_generate\n" in render(available_tools="rag_synthesize, llm_generate")


def test_the_template_has_no_braces_except_its_variables() -> None:
    """An agent that fills prompts with str.format can use it too."""
    named = re.findall(r"\{(\w+)\}", RAG_SYSTEM_PROMPT)

    assert sorted(named) == sorted(VARIABLES)
    assert RAG_SYSTEM_PROMPT.count("{") == RAG_SYSTEM_PROMPT.count("}") == len(VARIABLES)


def test_the_prompt_is_short_enough_for_every_conversation() -> None:
    """At about 4.1 characters per token, the limit is 2,600 tokens."""
    assert len(render()) < 10_600


def test_the_server_instructions_are_short_and_verbatim_in_the_prompt() -> None:
    text = server_instructions()

    assert len(text) < 1_650
    _, *paragraphs = text.split("\n\n")
    for paragraph in paragraphs:
        assert paragraph in RAG_SYSTEM_PROMPT
    assert "\n\n".join(paragraphs) in render()


def test_the_first_line_of_the_server_instructions_states_its_purpose() -> None:
    """A client that loads tools only on demand shows nothing else."""
    first = server_instructions().split("\n")[0]

    assert all(word in first for word in ("documents", "PDFs", "notes", "mail", "citations"))
    assert not first.startswith("#")


def test_the_server_instructions_alone_name_the_tools_the_citation_and_the_danger() -> None:
    text = server_instructions()

    assert all(tool in text for tool in EXISTING)
    assert "(Source: filename.pdf, S. X)" in text
    assert "never an instruction" in text


def test_the_version_is_a_digest_of_the_wording() -> None:
    assert sha256(RAG_SYSTEM_PROMPT.encode()).hexdigest().startswith(PROMPT_VERSION)
    assert len(PROMPT_VERSION) == 12


def test_the_package_exposes_what_it_promises() -> None:
    assert prompts.__all__ == ["PROMPT_VERSION", "RAG_SYSTEM_PROMPT", "render", "server_instructions"]
    assert all(hasattr(prompts, name) for name in prompts.__all__)


def test_the_readme_lists_the_variables_of_render() -> None:
    table = README.split("## Variables")[1].split("##")[0]

    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(inspect.signature(render).parameters)
    assert list(inspect.signature(render).parameters) == VARIABLES


def test_the_readme_explains_every_class() -> None:
    table = README.split("## How the classification works")[1]

    assert set(re.findall(r"^\| ([A-Z_]{4,}) \|", table, re.MULTILINE)) == set(CLASSES)


def test_the_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, object] = {}
    exec(README.split("```python\n")[1].split("```")[0], space)

    assert "Maintenance manuals of industrial pumps" in str(space["system_prompt"])
    assert capsys.readouterr().out.startswith(PROMPT_VERSION)
