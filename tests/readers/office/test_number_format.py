"""Number formats: the text that Excel shows for a value with a format."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.readers.office.number_format import Value, format_value

ACCOUNTING = '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'
EURO = '_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-;_-@_-'
MAY = 45413
"""1 May 2024 in the 1900 date system."""

Case = tuple[Value, str, str]

NUMBERS: list[Case] = [
    (1234567.891, "#,##0.00", "1,234,567.89"),
    (2.65, "0.0", "2.7"),
    (1.005, "0.00", "1.01"),
    (0.5, "0", "1"),
    (-5.5, "0.0", "-5.5"),
    (-0.01, "0.0", "0.0"),
    (-5, '"$"0', "-$5"),
    (7, "000", "007"),
    (5, "0,000", "0,005"),
    (0, "#,###", ""),
    (0, "#.##", "."),
    (0.5, ".00", ".50"),
    (12.5, ".00", "12.50"),
    (2.5, "0.0##", "2.5"),
    (2.5, "0.0??", "2.5"),
    (3, "0.#", "3."),
    (1234567, "#,##0,", "1,235"),
    (32_560_000, '0.0,,"M"', "32.6M"),
    (8_641_250, '#,##0, "k EUR"', "8,641 k EUR"),
    (8_641_250, "0.0,,M", "8.6M"),
    (500, '0 "kg, net"', "500 kg, net"),
    (500, "0 g", "500 g"),
    (3, '0 "of" 5', "3 of 5"),
    (0.256, "0.0%", "25.6%"),
    (0.0295, "0.0%", "3.0%"),
    (23, '0"%"', "23%"),
    (23, "0\\%", "23%"),
    (12345, "0.00E+00", "1.23E+04"),
    (0.00012, "0.0E-0", "1.2E-4"),
    (12345, "##0.0E+0", "12.3E+3"),
    (471_109_032, "00-000-0000", "47-110-9032"),
    (5_551_234_567, "(###) ###-####", "(555) 123-4567"),
    (5_551_234, "[<=9999999]###-####;(###) ###-####", "555-1234"),
    (12.25, "# ?/?", "12 1/4"),
    (0.3, "# ?/?", "2/7"),
    (12.3, "# ?/?", "12 1/3"),
    (12, "# ?/?", "12"),
    (0, "# ?/?", "0"),
    (0.4, "# ??/16", "6/16"),
    (1.25, "??/??", "5/4"),
    (3.5, '# ?/?" inch"', "3 1/2 inch"),
    (1234.5, "[$$-409]#,##0.00", "$1,234.50"),
    (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
    (1234.5, EURO, "1,234.50 €"),
    (0, EURO, "- €"),
    (1234.5, ACCOUNTING, "$1,234.50"),
    (-1234.5, ACCOUNTING, "$(1,234.50)"),
    (0, ACCOUNTING, "$-"),
    ("open", ACCOUNTING, "open"),
]

SECTIONS: list[Case] = [
    (-5, "0;(0)", "(5)"),
    (0, '0;-0;"none"', "none"),
    (-5, "[Blue]0;[Red]0", "5"),
    (5, "[Color 12]0.0", "5.0"),
    (4_200_000, '[>=1000000]0.0,,"M";0', "4.2M"),
    (4_200, '[>=1000000]0.0,,"M";0', "4200"),
    (-4_200, '[>=1000000]0.0,,"M";0', "-4200"),
    (-4_200, '[>=1000]0.0,"k";[<=-1000]-0.0,"k";0', "-4.2k"),
    (-42, '[>=1000]0.0,"k";[<=-1000]-0.0,"k";0', "-42"),
    (-6.3, '[<=-100]"B"0;"C"0', "C6"),
    (1, '"yes";"yes";"no"', "yes"),
    (5, ";;;", ""),
    ("words", ";;;", ""),
    ("words", "0;-0;0;", ""),
    ("Ann", '"Dear "@', "Dear Ann"),
    ("Ann", '0;-0;0;"Dear "@', "Dear Ann"),
    ("Ann", "0.00", "Ann"),
    (5, '"Dear "@', "Dear 5"),
    (True, "0.00", "TRUE"),
    (False, "General", "FALSE"),
    ("#N/A", "0.00", "#N/A"),
    (None, "0.00", ""),
    (5.0, '"odd', "5"),
    (5, "0" * 300, "5"),
    (5, "", "5"),
]

GENERAL: list[Case] = [
    (0.1 + 0.2, "General", "0.3"),
    (2.699999999999999, "General", "2.7"),
    (3.0, "General", "3"),
    (1234567.891234, "General", "1234567.891"),
    (0.123456789123, "General", "0.123456789"),
    (0.00001234567, "General", "1.23457E-05"),
    (0.00001, "General", "0.00001"),
    (1.5e20, "General", "1.5E+20"),
    (4_006_381_333_931, "General", "4006381333931"),
    (5, 'General" pieces"', "5 pieces"),
    (Decimal("2.50"), "General", "2.5"),
    (float("nan"), "0.0", "nan"),
]

DATES: list[Case] = [
    (MAY, "yyyy-mm-dd", "2024-05-01"),
    (MAY, "d/m/yy", "1/5/24"),
    (MAY, "dddd, d mmmm yyyy", "Wednesday, 1 May 2024"),
    (MAY, "ddd mmm mmmmm", "Wed May M"),
    (MAY, "[$-407]d. mmmm yyyy", "1. Mai 2024"),
    (MAY, "[$-40C]dddd d mmmm", "mercredi 1 mai"),
    (MAY, "[$-de-AT]d. mmmm", "1. Mai"),
    (MAY, "[$-xx-nowhere]d mmmm", "1 May"),
    (MAY, 'yyyy"年"m"月"d"日"', "2024年5月1日"),
    (MAY, '[$-411]ggge"年"m"月"d"日"', "令和6年5月1日"),
    (MAY, "[$-404]e/m/d", "113/5/1"),
    (MAY, "[$-107041E]yyyy", "2567"),
    (MAY, "mm-dd-yy", "2024-05-01"),
    (MAY + 0.5, "m/d/yy h:mm", "2024-05-01 12:00"),
    (MAY, "[$-F800]dddd, mmmm dd, yyyy", "2024-05-01"),
    (MAY + 0.8125, "[$-F400]h:mm:ss AM/PM", "19:30"),
    (MAY + 0.8125, "dd.mm.yyyy hh:mm", "01.05.2024 19:30"),
    (0.8125, "h:mm AM/PM", "7:30 PM"),
    (0.02, "h:mm a/p", "12:28 A"),
    (0.75, "h", "18"),
    (1.25, "[h]:mm", "30:00"),
    (1.25, "[mm]", "1800"),
    (0.5, "[ss]", "43200"),
    (0.0001234, "mm:ss.00", "00:10.66"),
    (0.0001234, "ss", "11"),
    (0.99999999, "h:mm", "0:00"),
    (60, "yyyy-mm-dd", "1900-02-29"),
    (1, "d mmmm yyyy", "1 January 1900"),
    (-1, "yyyy-mm-dd", "-1"),
    (3_000_000, "yyyy-mm-dd", "3000000"),
    (-0.5, "[h]:mm", "-12:00"),
    (datetime(2024, 5, 1, 9, 30), "d mmm yyyy h:mm", "1 May 2024 9:30"),
    (datetime(2024, 5, 1, 9, 30), "General", "2024-05-01 09:30"),
    (date(1776, 7, 4), "d mmmm yyyy", "4 July 1776"),
    (date(2024, 5, 1), "General", "2024-05-01"),
    (time(9, 5), "h:mm", "9:05"),
    (timedelta(hours=51, minutes=30), "[h]:mm", "51:30"),
]


@pytest.mark.parametrize(("value", "code", "text"), [*NUMBERS, *SECTIONS, *GENERAL, *DATES])
def test_a_value_reads_as_excel_shows_it(value: Value, code: str, text: str) -> None:
    assert format_value(value, code) == text


@pytest.mark.parametrize(
    ("serial", "code", "text"),
    [
        (0, "yyyy-mm-dd", "1904-01-01"),
        (MAY - 1462, "dddd d mmmm yyyy", "Wednesday 1 May 2024"),
        (-0.5, "h:mm", "-12:00"),
    ],
)
def test_the_1904_date_system_counts_from_its_own_first_day(serial: float, code: str, text: str) -> None:
    assert format_value(serial, code, date1904=True) == text


FINITE = st.floats(allow_nan=False, allow_infinity=False)
SIGNS = st.text(alphabet='0#?.,%E+-/@;"\\_*[]$<>=():ymdhsabge 1"M€', max_size=30)


@given(value=st.one_of(FINITE, st.integers(), st.text(max_size=10), st.timedeltas(), st.datetimes()), code=SIGNS)
def test_no_format_raises(value: Value, code: str) -> None:
    assert isinstance(format_value(value, code), str)


@given(value=st.floats(min_value=-1e9, max_value=1e9), places=st.integers(0, 6))
def test_rounded_numbers_are_close_and_grouped_by_three(value: float, places: int) -> None:
    text = format_value(value, "#,##0" + "." * bool(places) + "0" * places)
    assert re.fullmatch(r"-?\d{1,3}(,\d{3})*(\.\d+)?", text)
    assert abs(Decimal(text.replace(",", "")) - Decimal(f"{value:.15g}")) <= Decimal("0.5").scaleb(-places)


@given(day=st.dates(min_value=date(1900, 3, 1)))
def test_serial_numbers_and_dates_agree(day: date) -> None:
    serial = (day - date(1899, 12, 30)).days
    assert format_value(serial, "yyyy-mm-dd") == format_value(day, "yyyy-mm-dd") == day.isoformat()


@given(seconds=st.integers(0, 10_000_000))
def test_elapsed_time_adds_up(seconds: int) -> None:
    hours, minutes, rest = map(int, format_value(seconds / 86_400, "[h]:mm:ss").split(":"))
    assert hours * 3600 + minutes * 60 + rest == seconds


@given(number=st.integers(0, 10**15 - 1), mask=st.text(alphabet="0-. /", min_size=1, max_size=20))
def test_masks_keep_every_digit(number: int, mask: str) -> None:
    code = "".join(sign if sign == "0" else f"\\{sign}" for sign in mask)
    digits = re.sub(r"\D", "", format_value(number, code))
    assert digits == (str(number).zfill(mask.count("0")) if "0" in mask else "")
