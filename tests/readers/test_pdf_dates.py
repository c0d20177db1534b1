"""Dates in the formats of PDFs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.readers.pdf.pdf_file import iso_date


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("D:20230615104500+02'00'", "2023-06-15T08:45:00+00:00"),
        ("D:20230615104500-0730", "2023-06-15T18:15:00+00:00"),
        ("D:20151212184957Z00'00'", "2015-12-12T18:49:57+00:00"),
        ("D:2019", "2019-01-01T00:00:00+00:00"),
        ("20190203", "2019-02-03T00:00:00+00:00"),
        ("D:20231399", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_read_as_utc(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


@given(st.text(max_size=30) | st.from_regex(r"D:\d{4,20}[+-]\d{4}"))
def test_any_odd_date_is_parsed_or_refused(written: str) -> None:
    iso_date(written)
