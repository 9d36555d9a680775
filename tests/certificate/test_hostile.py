"""Files made to break the reader: each gets a verdict, none an exception, and none is written to the disk."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from celeus_label.certificate import verify
from celeus_label.certificate.archive import MAX_MEMBER_BYTES
from celeus_label.certify import Design
from celeus_label.ledger import Event, to_jsonl
from tests.certificate.driver import (
    Session,
    make_pool,
    members,
    rechained,
    resealed,
    rewrite,
)

FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
MORE = settings(FEW, max_examples=150)


@pytest.fixture(scope="module")
def session() -> Session:
    pool, truth = make_pool(14)
    session = Session(pool, Design(width=0.1, seed=3)).run(truth, 5)
    session.unratable(session.draw(), "p2")
    old = session.events[2].body["value"]
    session.correct(1, old, 6.0 - old)
    session.add("width", {"width": 0.05})
    return session


@pytest.fixture(scope="module")
def path(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [("prompt", "response")] * session.pool.size
    path = tmp_path_factory.mktemp("bundle") / "bundle.zip"
    return session.export(path, texts=texts, names={"p1": "Ann"})


@pytest.fixture(scope="module")
def texts(path: Path) -> dict[str, str]:
    return members(path)


def unreadable(path: Path) -> str:
    verdict = verify(path)
    assert (verdict.status, verdict.claim, len(verdict.differences)) == ("UNREADABLE", None, 1)
    return verdict.differences[0]


def test_a_place_that_takes_no_bundle_is_named(session: Session, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=rf"^{tmp_path} is a folder; name the file to write in it$"):
        session.export(tmp_path)
    with pytest.raises(
        OSError, match=r"nowhere/x\.zip can't be written \(No such file or directory\); choose another"
    ):
        session.export(tmp_path / "nowhere" / "x.zip")


# --- files that are no bundle ------------------------------------------------------------------------------


def test_a_file_that_is_no_zip_file_is_unreadable(tmp_path: Path) -> None:
    target = tmp_path / "x.zip"
    for content in (b"", b"PK", b"a,b\n1,2\n" * 100, b"PK\x05\x06" + b"\xff" * 18, b"\0" * 5000):
        target.write_bytes(content)
        assert "x.zip" in unreadable(target)
    assert "x.zip" in unreadable(tmp_path / "missing" / "x.zip")
    assert tmp_path.name in unreadable(tmp_path)


def test_a_zip_file_of_something_else_is_unreadable(texts: dict[str, str], tmp_path: Path) -> None:
    assert "design.json is missing" in unreadable(rewrite(tmp_path / "x.zip", {}))
    assert "'photo.jpg', which is no part" in unreadable(rewrite(tmp_path / "x.zip", {"photo.jpg": "x"}))
    for name in ("pool.csv", "ratings.csv", "certificate.csv"):
        without = {other: text for other, text in texts.items() if other != name}
        assert f"{name} is missing" in unreadable(rewrite(tmp_path / "x.zip", without))


def test_bytes_that_another_program_would_show_as_members_are_unreadable(path: Path, tmp_path: Path) -> None:
    target, whole = tmp_path / "x.zip", path.read_bytes()
    with zipfile.ZipFile(path) as bundle:
        first, second = sorted(bundle.infolist(), key=lambda one: one.header_offset)[:2]
    fake = io.BytesIO()
    with zipfile.ZipFile(fake, "w") as bundle:
        bundle.writestr("certificate.csv", "mean\n5\n")
    target.write_bytes(fake.getvalue() + whole)
    assert "not what its directory says" in unreadable(target)
    cut = second.header_offset
    target.write_bytes(
        whole[:14] + bytes(4) + whole[18:]
    )  # the checksum of the first member, in its own header
    assert f"not what its directory says, at {first.filename}" in unreadable(target)
    target.write_bytes(whole[: cut - 2] + bytes([whole[cut - 2] ^ 255]) + whole[cut - 1 :])
    assert f"{first.filename} is damaged" in unreadable(target)
    for inserted in (cut, whole.index(b"PK\x01\x02")):
        target.write_bytes(whole[:inserted] + b"x" * 30 + whole[inserted:])
        assert unreadable(target)


def test_a_bundle_that_another_program_packed_again_is_read(texts: dict[str, str], tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise OSError("a pipe")

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in reversed(texts.items()):
            bundle.writestr(name, text)  # checksum and sizes after the data
    (tmp_path / "x.zip").write_bytes(pipe.getvalue())
    assert verify(tmp_path / "x.zip").status == "VALID"


@pytest.mark.parametrize(
    "name",
    [
        "../pool.csv",
        "/pool.csv",
        "C:\\pool.csv",
        "sub/pool.csv",
        "pool.csv/",
        "./pool.csv",
        "POOL.CSV",
        "pool.csv\0.exe",
        "..\\pool.csv",
        "bidi\u202evsc.loop",
        "x" * 60_000,
    ],
)
def test_a_name_that_leads_elsewhere_is_unreadable(name: str, texts: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "x.zip"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as bundle:
        for member, text in texts.items():
            bundle.writestr(member, text)
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        bundle.writestr(info, "x")
    target.write_bytes(data.getvalue())
    told = unreadable(target)
    assert told.isprintable()
    assert len(told) < 700
    assert [file.name for file in tmp_path.iterdir()] == ["x.zip"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_unreadable(texts: dict[str, str], tmp_path: Path) -> None:
    pairs = [*texts.items(), ("ratings.csv", texts["ratings.csv"])]
    assert "ratings.csv twice" in unreadable(rewrite(tmp_path / "x.zip", pairs))


def test_a_zip_bomb_is_refused_before_it_unfolds(texts: dict[str, str], tmp_path: Path) -> None:
    zeros = b"\0" * (20 * 1024**2)
    told = unreadable(rewrite(tmp_path / "x.zip", {**texts, "texts.csv": zeros}))
    assert "like a zip bomb" in told


def patched(path: Path, target: Path, name: str, offset: int, field: bytes) -> Path:
    """The bundle with a field of a member's entry in the directory changed."""
    data = bytearray(path.read_bytes())
    at = data.rindex(name.encode()) - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    data[at + offset : at + offset + len(field)] = field
    target.write_bytes(data)
    return target


def test_what_the_directory_says_is_checked(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.zip"
    too_large = struct.pack("<I", MAX_MEMBER_BYTES + 1)
    assert "more than the" in unreadable(patched(path, target, "texts.csv", 24, too_large))
    assert "is encrypted" in unreadable(patched(path, target, "texts.csv", 8, b"\x01\0"))
    assert "a method that no bundle uses" in unreadable(patched(path, target, "texts.csv", 10, b"\x0c\0"))
    assert "not what its directory says" in unreadable(patched(path, target, "texts.csv", 16, b"\0\0\0\0"))
    assert "not what its directory says" in unreadable(patched(path, target, "texts.csv", 42, b"\0\0\0\0"))
    assert "on top of each other" in unreadable(
        patched(path, target, "texts.csv", 20, struct.pack("<I", path.stat().st_size))
    )


def test_a_directory_of_any_length_is_not_read(tmp_path: Path) -> None:
    target = tmp_path / "x.zip"
    with zipfile.ZipFile(target, "w") as bundle:
        for number in range(2000):
            bundle.writestr(f"file-{number}", "")
    assert "a directory of" in unreadable(target)
    with zipfile.ZipFile(target, "a") as bundle:
        bundle.comment = b"x"
    assert "not a zip file as an export writes it" in unreadable(target)


@MORE
@given(data=st.data())
def test_bytes_changed_anywhere_never_raise(data: st.DataObject, path: Path, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    target = tmp_path / "x.zip"
    target.write_bytes(content)
    verdict = verify(target)
    assert verdict.status in ("VALID", "INVALID", "UNREADABLE")
    # a byte that no reader looks at (a date, say) may change without changing the bundle
    if verdict.valid:
        assert members(target) == members(path)


# --- members that are not what they should be ------------------------------------------------------------------


def mutations(text: str) -> st.SearchStrategy[str]:
    """The text with one thing changed."""
    lines = text.splitlines(keepends=True)
    place = st.integers(0, len(text) - 1)
    row = st.integers(0, len(lines) - 1)
    char = st.characters(exclude_categories=["Cs"]) | st.sampled_from("0123456789,\"'\n\r-=.{}[]")
    return st.one_of(
        st.builds(lambda at, new: text[:at] + new + text[at + 1 :], place, char),
        st.builds(lambda at, new: text[:at] + new + text[at:], place, char),
        st.builds(lambda at: text[:at] + text[at + 1 :], place),
        st.builds(lambda at: text[:at], place),
        st.builds(lambda at: "".join([*lines[:at], *lines[at + 1 :]]), row),
        st.builds(lambda at, to: "".join([*lines[:to], lines[at], *lines[to:]]), row, row),
        st.permutations(range(len(lines))).map(lambda order: "".join(lines[at] for at in order)),
    )


@MORE
@given(data=st.data())
def test_no_single_change_of_a_member_is_valid(
    data: st.DataObject, texts: dict[str, str], tmp_path: Path
) -> None:
    name = data.draw(st.sampled_from(sorted(texts)))
    changed = data.draw(mutations(texts[name]).filter(lambda text: text != texts[name]))
    verdict = verify(rewrite(tmp_path / "x.zip", {**texts, name: changed}))
    assert verdict.status == "INVALID"
    assert all(sentence.isprintable() and len(sentence) < 700 for sentence in verdict.differences)


@MORE
@given(data=st.data())
def test_no_single_change_is_valid_where_all_hashes_are_made_right(
    data: st.DataObject, texts: dict[str, str], tmp_path: Path
) -> None:
    """Recorded inputs and what must agree with them; texts and names are free, computed numbers have rounding."""
    name = data.draw(st.sampled_from(["ledger.jsonl", "pool.csv", "ratings.csv"]))
    changed = data.draw(mutations(texts[name]).filter(lambda text: text != texts[name]))
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, name: changed})))
    assert verdict.status == "INVALID"


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([-1, 0, 1, 2, 10**400, 1e308, -0.0, "", "p1", "item-0", "bound", "1"])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path to every value inside a JSON object."""
    found: list[tuple[Any, ...]] = []
    for key, inner in value.items() if isinstance(value, dict) else []:
        found += [(key,), *((key, *path) for path in places(inner))]
    return found


@MORE
@given(data=st.data())
def test_an_event_of_any_content_never_raises(
    data: st.DataObject, session: Session, texts: dict[str, str], tmp_path: Path
) -> None:
    at = data.draw(st.integers(0, len(session.events) - 1))
    row = json.loads(json.dumps(vars(session.events[at])))
    inside = [place for place in places(row) if place[0] in ("kind", "at") or len(place) > 1]
    *path, last = data.draw(st.sampled_from(inside))
    inner = row
    for key in path:
        inner = inner[key]
    old = inner[last]
    if path and data.draw(st.integers(0, 9)) == 0:
        del inner[last]
    else:
        inner[last] = data.draw(JSON.filter(lambda new: json.dumps(new) != json.dumps(old)))
    events = [*session.events[:at], Event(**row), *session.events[at + 1 :]]
    changed = {**texts, "ledger.jsonl": "".join(to_jsonl(rechained(events)))}
    verdict = verify(rewrite(tmp_path / "x.zip", resealed(changed)))
    assert verdict.status == "INVALID"


@FEW
@given(data=st.data())
def test_a_design_file_of_any_content_never_raises(
    data: st.DataObject, texts: dict[str, str], tmp_path: Path
) -> None:
    document = json.loads(texts["design.json"])
    *path, last = data.draw(st.sampled_from(places(document)))
    inner = document
    for key in path:
        inner = inner[key]
    old = inner[last]
    inner[last] = data.draw(JSON.filter(lambda new: json.dumps(new) != json.dumps(old)))
    changed = {**texts, "design.json": json.dumps(document)}
    assert verify(rewrite(tmp_path / "x.zip", resealed(changed))).status == "INVALID"


def test_small_files_are_small(texts: dict[str, str], tmp_path: Path) -> None:
    large = "x" * (17 * 1024**2)
    for name, most in (("design.json", "16,777,216"), ("certificate.csv", "1,048,576")):
        told = unreadable(rewrite(tmp_path / "x.zip", {**texts, name: large}))
        assert re.fullmatch(rf"{name} unfolds to [0-9,]+ bytes, more than the {most} it may have", told)


def test_a_pool_of_many_columns_is_not_read(texts: dict[str, str], tmp_path: Path) -> None:
    header, *rows = texts["pool.csv"].splitlines(keepends=True)
    wide = header.rstrip("\n") + "".join(f",group:{number}" for number in range(2500)) + "\n"
    changed = resealed({**texts, "pool.csv": "".join([wide, *rows])})
    told = verify(rewrite(tmp_path / "x.zip", changed)).differences[0]
    assert told == "pool.csv: it has 2,503 features and groups, more than 2,000"


def test_blank_lines_in_the_ledger_are_named(texts: dict[str, str], tmp_path: Path) -> None:
    first, second, *rest = texts["ledger.jsonl"].splitlines(keepends=True)
    for lines, number in (([first, second, *rest, "\n"], len(rest) + 3), ([first, "\n", second, *rest], 2)):
        changed = resealed({**texts, "ledger.jsonl": "".join(lines)})
        told = verify(rewrite(tmp_path / "x.zip", changed)).differences[0]
        assert told == f"ledger.jsonl: line {number}: it is not written as a ledger writes an event"


@pytest.mark.parametrize("name", ["ledger.jsonl", "design.json"])
@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n",
        "null\n",
        "[1]\n",
        "[" * 100_000 + "\n",
        '{"a":' * 100_000 + "\n",
        '{"seq":1,"kind":"design","body":{"name":NaN},"at":"","hash":""}\n',
        '{"seq":1,"kind":"design","body":{"name":"\\ud800"},"at":"","hash":""}\n',
        '{"seq":1,"kind":"design","body":{"name":' + "9" * 5000 + '},"at":"","hash":""}\n',
        '{"seq":true,"kind":[],"body":{},"at":{},"hash":[]}\n',
        '{"session":{},"judge_scale":{"lower":"1","upper":[],"step":{},"labels":[]}}\n',
    ],
)
def test_json_that_is_no_event_and_no_design_is_invalid(
    name: str, content: str, texts: dict[str, str], tmp_path: Path
) -> None:
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, name: content})))
    assert verdict.status == "INVALID"
    assert verdict.differences[0].startswith(name)


@pytest.mark.parametrize(
    "name", ["pool.csv", "ratings.csv", "trajectory.csv", "certificate.csv", "texts.csv"]
)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\xff\xfea\0",
        b"\xed\xa0\x80",
        b'"',
        b'"' * 99_999,
        b",\n" * 50,
        b"a" * 200_000,
        b"a,b\r\n",
    ],
)
def test_a_table_of_any_bytes_is_invalid(
    name: str, content: bytes, texts: dict[str, str], tmp_path: Path
) -> None:
    changed: dict[str, str | bytes] = {**texts, name: content}
    verdict = verify(rewrite(tmp_path / "x.zip", changed))
    assert verdict.status == "INVALID"
    assert verdict.differences[0].startswith((name, "certificate.csv"))


def test_text_in_a_sentence_is_short_and_plain(texts: dict[str, str], tmp_path: Path) -> None:
    evil = "<script>\u202e\x1b[31m" + "x" * 100_000
    changed = {**texts, "ratings.csv": texts["ratings.csv"].replace("p1", evil)}
    differences = verify(rewrite(tmp_path / "x.zip", changed)).differences
    assert all(sentence.isprintable() and len(sentence) < 700 for sentence in differences)
