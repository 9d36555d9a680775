from __future__ import annotations

import csv
import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celeus_label.certificate.cells import Cell, read_number, read_rows, read_text, row_of, text_cell

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = st.text(st.sampled_from("=+-@\t\r\n'\",;a1＝"))
VALUE = st.none() | TEXT | AWKWARD | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def lines(text: str) -> io.StringIO:
    return io.StringIO(text, newline="\n")


@given(TEXT | AWKWARD)
def test_a_text_comes_back_and_never_begins_a_formula(text: str) -> None:
    cell = text_cell(text)
    assert read_text(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(TEXT | AWKWARD, TEXT | AWKWARD)
def test_two_texts_never_share_a_cell(one: str, other: str) -> None:
    assert (text_cell(one) == text_cell(other)) == (one == other)


@pytest.mark.parametrize("cell", ["=1", "-1", "@", "\tx", "'plain", "'"])
def test_a_cell_that_is_never_written_is_not_read(cell: str) -> None:
    with pytest.raises(ValueError, match="not written as in a bundle"):
        read_text(cell)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_bit_for_bit(number: float) -> None:
    (cell,) = next(iter(csv.reader([row_of([number])])))
    assert struct.pack("<d", read_number(cell)) == struct.pack("<d", number)


@pytest.mark.parametrize("cell", ["1", "1.00", " 1.0", "1_0.0", "+1.0", "1e3", "'1.0", "", "x"])
def test_a_number_in_another_form_is_not_read(cell: str) -> None:
    with pytest.raises(ValueError, match="not a number as a bundle writes it"):
        read_number(cell)


@given(st.lists(st.lists(VALUE, min_size=2, max_size=4), max_size=4))
def test_rows_are_those_of_any_csv_reader(rows: list[list[Cell]]) -> None:
    text = "".join(map(row_of, rows))
    found = list(read_rows(lines(text)))
    assert found == list(csv.reader(io.StringIO(text, newline="")))
    assert len(found) == len(rows)


def test_negative_numbers_stay_numbers_and_texts_that_look_like_them_do_not() -> None:
    assert row_of([-0.5, -3, "-0.5"]) == "-0.5,-3,'-0.5\n"


def test_a_row_that_never_ends_is_not_gathered() -> None:
    endless = ("a\n" if number else '"a\n' for number in range(10**9))
    with pytest.raises(ValueError, match="line 1: the row that begins here is longer than 1,000 characters"):
        list(read_rows(endless, longest=1000))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('a,b\n"c",d\n', "line 2"),
        ('a,"b\n', "line 1: a quoted cell begins here and never ends"),
        ("a,b\r\n", "line 1"),
        ("a,b\nc,d", "line 2"),
        ('a"b,c\n', "line 1"),
        ('a,"b""\n', "line 1"),
        ('"a,b"x,c\n', "line 1"),
        ("a,\rb\n", "line 1"),
    ],
)
def test_a_row_in_another_form_is_named(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        list(read_rows(lines(text)))
