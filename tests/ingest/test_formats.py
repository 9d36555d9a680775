"""A table written in any format reads back equal: the same rows, the same pool, the same texts."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from celeus_label.certify import Scale
from celeus_label.ingest import IngestError, Loaded, Mapping, Table, load, preview, read_table

Rows = list[dict[str, object]]
COLUMNS = ("item_id", "prompt", "response", "judge_score", "judge_spread", "system")
MAPPING = Mapping("judge_score", "item_id", "prompt", "response", ("judge_spread",), ("system",))


def as_csv(rows: Rows, delimiter: str = ",", encoding: str = "utf-8", newline: str = "\r\n") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, delimiter=delimiter, lineterminator=newline)
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return out.getvalue().encode(encoding)


def as_parquet(rows: Rows) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({name: [row[name] for row in rows] for name in COLUMNS}), out)
    return out.getvalue()


def as_excel(rows: Rows) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(COLUMNS)
    for number, row in enumerate(rows, start=2):
        for place, name in enumerate(COLUMNS, start=1):
            # set as text: openpyxl makes formulas of what begins with "="
            cell = sheet.cell(number, place)
            cell.value = row[name]
            if isinstance(row[name], str):
                cell.data_type = "s"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "pool.csv": as_csv,
    "unix.csv": lambda rows: as_csv(rows, newline="\n"),
    "marked.csv": lambda rows: as_csv(rows, encoding="utf-8-sig"),
    "wide.csv": lambda rows: as_csv(rows, encoding="utf-16"),
    "semicolon.csv": lambda rows: as_csv(rows, ";"),
    "pool.tsv": lambda rows: as_csv(rows, "\t"),
    "bar.txt": lambda rows: as_csv(rows, "|"),
    "pool.csv.gz": lambda rows: gzip.compress(as_csv(rows), mtime=0),
    "pool.jsonl": as_lines,
    "wide.jsonl": lambda rows: as_lines(rows).decode().encode("utf-16"),
    "pool.jsonl.gz": lambda rows: gzip.compress(as_lines(rows), mtime=0),
    "pool.json": lambda rows: json.dumps(rows).encode(),
    "pretty.json": lambda rows: json.dumps(rows, indent=2, ensure_ascii=False).encode("utf-8-sig"),
    "columns.json": lambda rows: json.dumps({name: [row[name] for row in rows] for name in COLUMNS}).encode(),
    "pandas.json": lambda rows: json.dumps(
        {name: {str(place): row[name] for place, row in enumerate(rows)} for name in COLUMNS}
    ).encode(),
    "pool.parquet": as_parquet,
    "pool.xlsx": as_excel,
}

# XML, and so Excel, can't hold control characters, and turns \r into \n; everything else holds any text.
plain = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=30
)
lines = st.lists(plain, max_size=3).map("\n".join)
# openpyxl writes 16 digits, one fewer than some floats need
numbers = st.floats(-1e9, 1e9).map(lambda number: float(f"{number:.12g}")) | st.integers(-(10**9), 10**9)
scores = st.floats(1, 5).map(lambda number: round(number, 12)) | st.integers(1, 5)
ids = plain.filter(lambda text: bool(text.strip()))


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    names = draw(st.lists(ids, min_size=1, max_size=8, unique=True))
    return [
        {
            "item_id": name,
            "prompt": draw(lines),
            "response": draw(lines),
            "judge_score": draw(scores),
            "judge_spread": draw(st.none() | numbers),
            "system": draw(plain),
        }
        for name in names
    ]


def loaded(table: Table) -> Loaded:
    return load(table, MAPPING, Scale(1, 5))


@settings(max_examples=60, deadline=None)
@given(tables())
def test_every_format_reads_back_equal(rows: Rows) -> None:
    texts = [(row["prompt"], row["response"]) for row in rows]
    hashes = set()
    for name, write in WRITERS.items():
        found = loaded(read_table(write(rows), name))
        assert found.report.refused == [], name
        assert found.report.changed == [], name
        assert found.pool.item_ids == tuple(str(row["item_id"]) for row in rows), name
        assert found.pool.judge.tolist() == [row["judge_score"] for row in rows], name
        assert found.pool.groups["system"] == tuple(str(row["system"]) for row in rows), name
        assert list(found.texts) == texts, name
        hashes.add(found.pool.hash)
    assert len(hashes) == 1


# What a text file can hold that a sheet can't: every control character but the NUL, with any line end.
anything = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@settings(max_examples=100, deadline=None)
@example(texts=[("\0", "\0")])  # both at even places, as in UTF-16
@example(texts=[("\0a" * 20, "\0a" * 20)] * 5)
@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=5))
def test_texts_with_control_characters_survive(texts: list[tuple[str, str]]) -> None:
    rows: Rows = [
        {"item_id": f"i{place}", "prompt": prompt, "response": response, "judge_score": 3, "judge_spread": 0,
         "system": "x"}
        for place, (prompt, response) in enumerate(texts)
    ]  # fmt: skip
    for name in ("pool.csv", "semicolon.csv", "pool.jsonl", "pool.json", "pool.parquet"):
        assert list(loaded(read_table(WRITERS[name](rows), name)).texts) == texts, name


ROW: dict[str, object] = {
    "item_id": "a", "prompt": "one\ntwo", "response": "r", "judge_score": 2, "judge_spread": 0.5,
    "system": "s",
}  # fmt: skip
THREE: Rows = [{**ROW, "item_id": name} for name in "abc"]


@pytest.mark.parametrize("name", WRITERS)
def test_the_content_and_not_the_name_decides(name: str) -> None:
    content = WRITERS[name](THREE)
    assert loaded(read_table(content, "upload")).pool.hash == loaded(read_table(content, name)).pool.hash


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("pool.csv", [2, 4, 6]),
        ("unix.csv", [2, 4, 6]),
        ("pool.jsonl", [1, 2, 3]),
        ("pool.json", [1, 2, 3]),
        ("pretty.json", [2, 10, 18]),
        ("columns.json", [1, 2, 3]),
        ("pool.parquet", [1, 2, 3]),
        ("pool.xlsx", [2, 3, 4]),
    ],
)
def test_a_row_stands_where_an_editor_shows_it(name: str, places: list[int]) -> None:
    assert [line for line, _ in read_table(WRITERS[name](THREE), name).rows()] == places


def test_a_path_is_read_and_a_missing_one_named(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "pool.jsonl"
    path.write_bytes(as_lines(THREE))
    assert read_table(path).name == "pool.jsonl"
    assert loaded(read_table(path)).pool.size == 3
    with pytest.raises(IngestError, match=r"there is no file .*nothing\.csv"):
        read_table(path.with_name("nothing.csv"))


def test_jsonl_under_the_name_json_and_one_object_alone() -> None:
    assert read_table(as_lines(THREE), "pool.json").format == "jsonl"
    assert read_table(as_lines(THREE[:1]), "pool.jsonl").format == "jsonl"
    assert loaded(read_table(as_lines(THREE[:1]), "pool.json")).pool.item_ids == ("a",)


def test_a_list_under_a_usual_name_is_found() -> None:
    table = read_table(json.dumps({"version": 1, "data": THREE}).encode(), "pool.json")
    assert table.notes == ("the rows are the list under data",)
    assert loaded(table).pool.size == 3


def test_rows_by_id() -> None:
    rows = {
        str(row["item_id"]): {key: value for key, value in row.items() if key != "item_id"} for row in THREE
    }
    table = read_table(json.dumps(rows).encode(), "pool.json")
    assert table.notes == ("the keys of the file's object are taken for item_id",)
    assert loaded(table).pool.item_ids == ("a", "b", "c")


def test_one_object_of_many_keys_is_no_table() -> None:
    content = json.dumps({f"k{place}": place for place in range(2001)}).encode()
    with pytest.raises(IngestError, match="the rows have more than 2,000 keys"):
        read_table(content, "pool.json")


def test_a_preview_shows_what_raters_would_see() -> None:
    chat = [{"role": "user", "content": "Hi"}]
    rows = [{"prompt": chat, "response": "r"}, {"prompt": None, "response": "\ud800"}, {"prompt": "p"}]
    table = read_table(json.dumps(rows).encode(), "pool.json")
    mapping = Mapping("judge", None, "prompt", "response")
    assert preview(table, mapping, 2) == [(json.dumps(chat), "r"), ("", "")]
    assert preview(table, Mapping("judge", None, "prompt"))[2] == ("p", "")


def test_keys_inside_objects_are_columns() -> None:
    rows = [{"text": {"in": "p"}, "scores": {"quality": place, "a.b": 1}} for place in (1, 2)]
    table = read_table(json.dumps(rows).encode(), "pool.json")
    assert table.columns == ("text", "text.in", "scores", "scores.quality", "scores.a.b")
    found = load(table, Mapping("scores.quality", prompt="text.in"), Scale(1, 5))
    assert found.pool.judge.tolist() == [1.0, 2.0]
    assert list(found.texts) == [("p", ""), ("p", "")]


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as parts:
        for name in names:
            parts.writestr(name, "a,b\n1,2\n")
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"[{}, {]", "x.json", "row 1: the file is not JSON: Expecting property name"),
        (b'[{"a": 1},\n\n {"a":\n 2,}]', "x.json", "row 4: the file is not JSON"),
        (b'[{"a": 1},\n {"a": 2}', "x.json", "row 2: the JSON ends in the middle of the list"),
        (b'[{"a": 1}\n {"a": 2}]', "x.json", "row 2: the JSON has '{' where ',' belongs"),
        (b'[{"a": 1}]\n[{"a": 2}]', "x.json", "row 2: there is more after the end of the list"),
        (b'[]\n]', "x.json", "row 2: there is more after the end of the list"),
        (b'[{"a": 1, "a": 2}]', "x.json", 'row 1: the key "a" stands twice in one object'),
        (b'{"a": [1, 2],\n "b": }', "x.json", "row 2: x.json is not JSON: Expecting value"),
        (b'{"a": [1, 2], "b": [1]}', "x.json", "the columns are not equally long: a has 2, b has 1"),
        (b'{"a":' * 100_000, "x.json", "x.json"),
        (b"[]", "x.json", "x.json has no row with a value that can be read"),
        (b"[1]", "x.json", "x.json has no row with a value that can be read; the first: row 1: is no JSON object"),
        (b'{"a": 1}{"a": 2}', "x.jsonl", "x.jsonl has no row with a value that can be read; the first: row 1: "),
        (b'[{"a": {"\\ud800": 1}}]', "x.json", r'the key "a.\ud800" holds half a character, which no text file can'),
        (b"PAR1 and no more", "x.parquet", "x.parquet can't be read as Parquet"),
        (b"PK\x03\x04 and no more", "x.xlsx", "x.xlsx can't be read as an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "x.xls", "x.xls is an old Excel file, or has a password"),
        (zipped("a.csv"), "x.zip", "x.zip is a zip archive and no workbook; unpack it"),
        (zipped(), "x.zip", "x.zip is compressed with zip, and is empty; unpack it"),
        (b"BZh91AY", "x.csv.bz2", "x.csv.bz2 is compressed with bzip2; unpack it, or use gzip"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n"), mtime=0), "x.csv.gz", "x.csv.gz is compressed twice"),
        (gzip.compress(as_parquet(THREE), mtime=0), "x.parquet.gz", "compressed twice, by its format and by gzip"),
        (gzip.compress(as_csv(THREE), mtime=0)[:-9], "x.csv.gz", "x.csv.gz: the gzip data are damaged"),
        (bytes(range(256)) * 20, "x.bin", "x.bin holds zero bytes: it is not text"),
    ],
    # a packed file holds the time, and a test's name must be the same in every process
    ids=lambda value: "content" if isinstance(value, bytes) else None,
)  # fmt: skip
def test_a_damaged_file_gets_a_sentence(content: bytes, name: str, sentence: str) -> None:
    with pytest.raises(IngestError) as fault:
        read_table(content, name).head()
    assert sentence in str(fault.value)


TEXTS = "xl/sharedStrings.xml"


def test_a_zip_bomb_of_a_workbook_is_refused_before_it_unfolds() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts, parts.open(TEXTS, "w") as part:
        for _ in range(130):
            part.write(bytes(1024**2))
    with pytest.raises(IngestError, match="unfolds to 130 MB, more than is read of a workbook"):
        read_table(out.getvalue(), "bomb.xlsx")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('a;b\n"x,y,z";"1,5"\n', ";"),
        ("a,b\n1;2,3;4\n", ","),
        ("sep=;\na;b\n1;2\n", ";"),
        ("only\n1\n", ","),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    table = read_table(text.encode(), "x.csv")
    assert table.delimiter == delimiter
    assert [set(row) for _, row in table.rows()] == [set(table.columns)]


def test_the_delimiter_may_be_said() -> None:
    table = read_table(b"a,b;c\n1,2;3\n", "x.csv", delimiter=";")
    assert table.columns == ("a,b", "c")
    with pytest.raises(IngestError, match="must be one character"):
        read_table(b"a,b\n", "x.csv", delimiter="::")


def test_a_line_that_tells_the_delimiter_counts_as_a_line() -> None:
    assert [line for line, _ in read_table(b"sep=;\r\na;b\r\n1;2\r\n", "x.csv").rows()] == [3]


def test_excel_takes_the_first_visible_sheet_and_says_so() -> None:
    book = openpyxl.Workbook()
    book.active.title = "hidden"
    book.active.sheet_state = "hidden"
    sheet = book.create_sheet("pool")
    for row in (
        ["item_id", None, "judge_score"],
        ["a", "x", 3],
        [],
        ["b", "y", 4, None],
        ["c", "y", 4, "beyond"],
    ):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    table = read_table(out.getvalue(), "x.xlsx")
    assert table.notes == (
        "a column without a name is called column_2",
        "read from the sheet pool; these are left out: hidden",
    )
    found = load(table, Mapping("judge_score", "item_id", "column_2"), Scale(1, 5))
    assert found.pool.item_ids == ("a", "b")
    assert [str(refusal) for refusal in found.report.refused] == [
        "row 5: has a cell beyond the last column, judge_score"
    ]


def test_excel_dates_and_blank_cells_in_a_score_column() -> None:
    import datetime as dt

    book = openpyxl.Workbook()
    for row in (["item_id", "judge_score"], [1, 3], [2, dt.datetime(2024, 4, 5)], [3, None], [4, True]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    found = load(read_table(out.getvalue(), "x.xlsx"), Mapping("judge_score", "item_id"), Scale(1, 5))
    assert found.pool.item_ids == ("1", "4")
    assert [str(refusal) for refusal in found.report.refused] == [
        'row 3: judge_score is "2024-04-05 00:00:00", a date;'
        " Excel may have made it from a score such as 4/5",
        "row 4: judge_score is blank, no score; fill it in, or let the mean of the others stand in",
    ]
    assert [change.value for change in found.report.changed] == ["True"]


def test_parquet_lists_decimals_and_bytes() -> None:
    import decimal

    out = io.BytesIO()
    pq.write_table(
        pa.table(
            {
                "item_id": pa.array(["a", "b"]).dictionary_encode(),
                "judge_score": pa.array([[1.0, 3.0], [5.0]]),
                "weight": pa.array([decimal.Decimal("1.5"), None]),
                "prompt": pa.array([b"p", b"\xff"]),
            }
        ),
        out,
    )
    found = load(
        read_table(out.getvalue(), "x.parquet"),
        Mapping("judge_score", "item_id", "prompt", features=("weight",)),
        Scale(1, 5),
    )
    assert found.pool.judge.tolist() == [2.0]
    assert found.pool.features["weight"].tolist() == [1.5]
    assert str(found.report.refused[0]) == "row 2: prompt holds bytes that are not UTF-8 text"
