"""Text in the encodings that people's files have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from celeus_label.ingest import IngestError, Loaded, Table

Read = Callable[..., Table]
Load = Callable[..., Loaded]

HEAD = "item_id,prompt,response,judge_score\n"
WESTERN = HEAD + "a,“Où est le café ?”,Über 5 € – garçon naïf à la crème,3\n"
RUSSIAN = HEAD + "".join(f"{i},Как дела сегодня?,Спасибо большое хорошо а у тебя,3\n" for i in range(20))
JAPANESE = HEAD + "".join(
    f"{i},今日の天気はどうですか,とても良い天気で気持ちがいいです,3\n" for i in range(20)
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_western_text_in_every_encoding(take: Load, encoding: str) -> None:
    loaded = take(WESTERN.encode(encoding))
    assert loaded.texts[0] == ("“Où est le café ?”", "Über 5 € – garçon naïf à la crème")
    assert loaded.pool.item_ids == ("a",)


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_utf16_mark_of_either_order(take: Load, mark: bytes) -> None:
    order = "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"
    assert take(mark + WESTERN.encode(order)).texts[0][0] == "“Où est le café ?”"


def test_a_guess_is_told(read: Read) -> None:
    table = read(WESTERN.encode("cp1252"))
    assert table.encoding == "cp1252"
    assert table.notes == (
        "read as cp1252, a guess, as the file is not UTF-8; name the encoding if accents look wrong",
    )
    assert read(WESTERN).notes == ()


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN, "cp1251"), (JAPANESE, "shift_jis")])
def test_other_scripts_are_guessed(take: Load, text: str, encoding: str) -> None:
    expected = tuple(text.splitlines()[1].split(",")[1:3])
    assert take(text.encode(encoding)).texts[0] == expected


def test_the_encoding_may_be_said(read: Read) -> None:
    table = read(RUSSIAN.encode("koi8-r"), encoding="koi8-r")
    assert next(row for _, row in table.rows())["prompt"] == "Как дела сегодня?"


def test_a_wrong_encoding_is_named_with_the_place(read: Read) -> None:
    with pytest.raises(IngestError) as fault:
        list(read((HEAD + "a,p,r,3\nb,é,r,3\n").encode("cp1252"), encoding="utf-8").rows())
    assert str(fault.value) == (
        "pool.csv: somewhere after row 0 is the byte 0xe9, which is not utf-8-sig;"
        " name the file's encoding (utf-8, utf-16, cp1252, …)"
    )
    with pytest.raises(IngestError, match='encoding "klingon" is not known; try utf-8, utf-16 or cp1252'):
        read(HEAD, encoding="klingon")
    with pytest.raises(IngestError, match='encoding "base64" is not known'):
        read(HEAD, encoding="base64")


def test_a_byte_beyond_the_first_blocks_is_seen(take: Load) -> None:
    rows = "".join(f"i{place},{'p' * 200},r,3\n" for place in range(12_000))
    loaded = take((HEAD + rows + "z,café,r,3\n").encode("cp1252"))
    assert loaded.texts[-1] == ("café", "r")


def test_a_zero_byte_in_utf8_is_a_control_character(take: Load) -> None:
    loaded = take(HEAD + "a,p\0q,r,3\nb,s,r,4\n")
    assert loaded.texts[0] == ("p\0q", "r")
    assert loaded.report.warnings == [
        "prompt holds control characters, kept as they are, in 1 row, first in row 2"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_json_in_other_encodings(read: Read, encoding: str) -> None:
    for text in ('{"a": "é"}\n{"a": "à"}\n', '[{"a": "é"}, {"a": "à"}]', '{"a": ["é", "à"]}'):
        assert [row["a"] for _, row in read(text.encode(encoding), "x.json").rows()] == ["é", "à"]
