"""Hostile and oversized files end in a sentence, soon and in little memory."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from celeus_label.ingest import IngestError, Loaded, Table, Texts, read_table

Load = Callable[..., Loaded]
Read = Callable[..., Table]

HEAD = "item_id,prompt,response,judge_score\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["pool.csv", "pool.jsonl", "pool.json"])
def test_a_cell_of_ten_million_characters_is_taken(take: Load, name: str) -> None:
    cell = "x" * 10_000_000
    rows = [{"item_id": "a", "prompt": cell, "response": "r", "judge_score": 3}]
    text = (
        f"{HEAD}a,{cell},r,3\n"
        if name.endswith("csv")
        else json.dumps(rows if name.endswith("json") else rows[0])
    )
    assert take(text, name).texts[0] == (cell, "r")


def test_a_longer_cell_of_csv_may_be_an_open_quote(take: Load) -> None:
    with pytest.raises(IngestError) as fault:
        take(f'{HEAD}a,p,r,3\nb,"{"x" * 10_000_001}",r,3\n')
    assert str(fault.value) == (
        "row 3: a cell is longer than 10 million characters; was a quote opened and never closed?"
    )


def test_a_longer_cell_of_json_is_refused(take: Load) -> None:
    rows = [
        {"item_id": name, "prompt": cell, "judge_score": 3}
        for name, cell in (("a", "p"), ("b", "x" * 10_000_001))
    ]
    loaded = take("\n".join(map(json.dumps, rows)), "pool.jsonl")
    assert [str(refusal) for refusal in loaded.report.refused] == [
        "row 2: prompt is 10,000,001 characters long; a cell has at most 10,000,000"
    ]
    assert len(loaded.report.refused[0].value) == 200


def bomb(head: bytes, block: bytes, count: int) -> bytes:
    """A gzip file of a head and a block repeated, without ever holding them unpacked."""
    packer = zlib.compressobj(wbits=31)
    return b"".join([packer.compress(head), *(packer.compress(block) for _ in range(count)), packer.flush()])


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.jsonl.gz"])
def test_a_gzip_bomb_of_one_line(name: str) -> None:
    content = bomb(b"", b"x" * 1024**2, 80)
    assert len(content) < 100_000
    with pytest.raises(IngestError, match="row 1: the line is longer than 64 million characters"):
        read_table(content, name).head()


def test_a_gzip_bomb_of_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celeus_label.ingest.source.MAX_FILE_BYTES", 5 * 1024**2)
    content = bomb(HEAD.encode(), b"a,p,r,3\n" * 100_000, 10)
    with pytest.raises(IngestError, match="holds more than 0 GB after decompression"):
        read_table(content, "bomb.csv.gz")


def test_a_long_list_on_one_line_is_streamed(take: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celeus_label.ingest.source.MAX_LINE_CHARACTERS", 1000)
    monkeypatch.setattr("celeus_label.ingest.jsonfile.MAX_LINE_CHARACTERS", 1000)
    rows = [{"item_id": f"i{place}", "prompt": f"p{place}", "judge_score": 3} for place in range(1000)]
    assert take(json.dumps(rows), "pool.json").pool.size == 1000
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert take(json.dumps(columns), "pool.json").pool.size == 1000


def test_a_json_object_too_large_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celeus_label.ingest.jsonfile.MAX_WHOLE_BYTES", 1024**2)
    content = json.dumps({"a": ["x" * 1000] * 2000, "judge": [1] * 2000}).encode()
    with pytest.raises(
        IngestError, match="one JSON object of more than 1 MB, which can't be read in parts; write"
    ):
        read_table(content, "x.json")


def test_one_element_of_a_list_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celeus_label.ingest.jsonlist.MAX_LINE_CHARACTERS", 2 * 1024**2)
    content = json.dumps([{"a": "x" * 9 * 1024**2}]).encode()
    with pytest.raises(IngestError, match="row 1: one value of the list is longer than 2 million characters"):
        read_table(content, "x.json")


def test_too_many_rows_and_too_much_text(monkeypatch: pytest.MonkeyPatch, take: Load) -> None:
    rows = "".join(f"i{place},prompt,response,3\n" for place in range(11))
    monkeypatch.setattr("celeus_label.ingest.loading.MAX_ROWS", 11)
    assert take(HEAD + rows).pool.size == 11
    monkeypatch.setattr("celeus_label.ingest.loading.MAX_ROWS", 10)
    with pytest.raises(IngestError, match=r"pool\.csv has more than 10 rows"):
        take(HEAD + rows)
    monkeypatch.setattr("celeus_label.ingest.loading.MAX_ROWS", 100)
    monkeypatch.setattr("celeus_label.ingest.texts.MAX_TEXT_BYTES", 100)
    with pytest.raises(IngestError, match="the prompts and responses are longer than"):
        take(HEAD + rows)


def test_too_many_columns(read: Read) -> None:
    with pytest.raises(IngestError, match=r"2,001 columns, more than 2,000; is the delimiter right\?"):
        read(",".join(f"c{place}" for place in range(2001)) + "\n")


def test_a_workbook_with_an_entity_bomb_does_not_unfold() -> None:
    import zipfile

    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["item_id", "judge_score"])
    plain, evil = io.BytesIO(), io.BytesIO()
    book.save(plain)
    entities = '<!DOCTYPE x [<!ENTITY a0 "ha">'
    entities += "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)) + "]>"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(evil, "w") as new:
        for part in old.infolist():
            text = old.read(part)
            if part.filename == "xl/worksheets/sheet1.xml":
                text = (
                    entities.encode()
                    + b"<worksheet><sheetData><row><c t='inlineStr'><is><t>&a11;</t></is></c>"
                )
            new.writestr(part.filename, text)
    with pytest.raises(IngestError, match="can't be read as an Excel workbook"):
        read_table(evil.getvalue(), "evil.xlsx")


def test_texts_are_a_list_of_pairs() -> None:
    pairs = [("a", "é"), ("", ""), ("日本", "\0\n"), ("x", "y")]
    texts = Texts()
    for prompt, response in pairs:
        texts.append(prompt, response)
    assert len(texts) == 4
    assert list(texts) == pairs
    assert (texts[0], texts[-1], texts[1:3]) == (pairs[0], pairs[-1], pairs[1:3])
    assert texts == pairs
    assert texts != pairs[:3]
    assert texts != [*pairs[:3], ("x", "z")]
    assert list(reversed(texts)) == pairs[::-1]
    for place in (4, -5):
        with pytest.raises(IndexError, match="the pool has 4"):
            texts[place]


MEASURE = """
import resource, sys
from pathlib import Path
from celeus_label.certify import Scale
from celeus_label.ingest import guess_mapping, load, read_table
table = read_table(Path(sys.argv[1]))
loaded = load(table, guess_mapping(table), Scale(1, 5))
print(loaded.pool.size, len(loaded.texts), loaded.report.taken)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_a_million_rows_within_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "million.csv"
    prompt, response = "What is said here? " * 3, "A sentence of some length, and one more. " * 2
    with path.open("w", encoding="utf-8") as file:
        file.write("item_id,prompt,response,judge_score,judge_spread,system\n")
        file.writelines(
            f'item-{row:07},{prompt}{row},"{response}{row}",'
            f"{1 + row % 401 / 100},{row % 97 / 97:.4f},s{row % 9}\n"
            for row in range(1_000_000)
        )
    assert path.stat().st_size > 180_000_000
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    counts, peak = done.stdout.splitlines()
    assert counts == "1000000 1000000 1000000"
    assert int(peak) < 1000
