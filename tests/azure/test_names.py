"""Document names on a service that only folds case, and an exact name among many that contain it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS
from corpus.errors import InvalidRequest
from corpus.filters import Filters
from corpus.index.azure.name_variants import MAX_NAME_WORDS, each_word, spellings
from corpus.lookup.filter_resolution import resolve_filters
from corpus.search import Listing
from corpus.text.normalization import fold_case
from tests.azure.design_index import DOCUMENTS, document_row
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.full_query import parse_full
from tests.shelf import a_document, doc_ids, texts

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shelf() -> AsyncIterator[DesignShelf]:
    async with StandIn() as service, design_shelf(service) as shelf:
        yield shelf


def put(shelf: DesignShelf, **titles: str) -> None:
    rows = [dict(document_row(a_document(doc_id, title=title))) for doc_id, title in titles.items()]
    shelf.service.put_documents(DOCUMENTS, rows)


async def named(shelf: DesignShelf, name: str) -> list[str]:
    return doc_ids(await shelf.index.by_name(name, ANONYMOUS))


async def listed(shelf: DesignShelf, query: str) -> list[str]:
    return doc_ids((await shelf.index.list_documents(Listing(query=query), ANONYMOUS)).documents)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Straße", "STRASSE"),
        ("Strasse", "straße"),
        ("STRAẞE", "Strasse"),
        ("Flussstraße", "FLUSSSTRASSE"),
        (unicodedata.normalize("NFD", "Müller"), "MÜLLER"),
        ("Müller", unicodedata.normalize("NFD", "MÜLLER")),
        ("O\ufb03ce \ufb01lter", "OFFICE FILTER"),
        ("Office filter", "o\ufb03ce \ufb01lter"),
        ("\uff30\uff55\uff4d\uff50\uff12", "PUMP2"),
        ("Pump2", "\uff30\uff55\uff4d\uff50\uff12"),
        ("Οδός", "ΟΔΌΣ"),
    ],
)
async def test_a_name_is_found_in_any_spelling(shelf: DesignShelf, title: str, name: str) -> None:
    put(shelf, wanted=title, longer=f"{title} of others", other="Banana")
    assert await named(shelf, name) == ["wanted"]
    assert sorted(await listed(shelf, name)) == ["longer", "wanted"]


@pytest.mark.parametrize("title", ["report", "report, annual"])
async def test_an_exact_name_wins_over_any_number_of_names_that_contain_it(shelf: DesignShelf, title: str) -> None:
    many = [
        a_document(f"d{n}", title=f"Report, annual report {n} of the pump", filename=f"report annual {n}.pdf")
        for n in range(300)
    ]
    exact = a_document("wanted", title=title, filename="y.pdf", summary_brief="Short.")
    shelf.service.put_documents(DOCUMENTS, [dict(document_row(one)) for one in (*many, exact)])
    (found,) = await shelf.index.by_name(title.upper(), ANONYMOUS)
    assert (found.doc_id, found.summary_brief) == ("wanted", "Short.")
    assert len(await named(shelf, "PUMP report")) == 20


@pytest.mark.parametrize("value", [unicodedata.normalize("NFD", "MÜLLER"), "\uff2d\uff55\u0308ller", "müller"])
async def test_a_filter_value_matches_in_any_spelling(shelf: DesignShelf, value: str) -> None:
    await shelf.put(a_document(department="Müller"), *texts("manual", "pump"))
    known = await resolve_filters(Filters(department=(value,)), shelf.index, ANONYMOUS)
    assert known.department == ("Müller",)


async def test_a_missing_filter_value_is_reported_with_its_filter(shelf: DesignShelf) -> None:
    rows = [dict(document_row(a_document("d", department="Energy")))]
    shelf.service.put_documents(DOCUMENTS, rows)
    with pytest.raises(InvalidRequest, match=r"has department 'Enrgy'\. Near: 'Energy'"):
        await resolve_filters(Filters(department=("Enrgy",)), shelf.index, ANONYMOUS)


async def test_values_that_do_not_fit_into_a_request_are_refused_and_not_dropped(shelf: DesignShelf) -> None:
    put(shelf, manual="Manual")
    spaced = tuple(f" d{n} " for n in range(51))
    with pytest.raises(InvalidRequest, match=r"department.*more than 50 values"):
        await shelf.index.list_documents(Listing(filters=Filters(department=spaced)), ANONYMOUS)
    await shelf.index.list_documents(Listing(filters=Filters(department=spaced[:50])), ANONYMOUS)


@given(st.text(max_size=40))
def test_a_query_for_each_word_is_valid_and_contains_only_words_of_the_text(text: str) -> None:
    query = each_word(text)
    if query:
        assert parse_full(query, every=True, searchable=frozenset()) is not None
        assert query.count("+(") <= MAX_NAME_WORDS
        assert not re.search(r"[^\w\s+()|/.*\u0300-\u036f\u1100-\u11ff]", unicodedata.normalize("NFC", query))


@given(st.text(max_size=40))
def test_every_spelling_of_a_name_folds_to_the_same_name(name: str) -> None:
    assert {fold_case(one) for one in spellings(name)} == {fold_case(name)}
